-- Pressure by what you know of hosts yourself: the table metadata has the
-- columns host, name and value, such as h17, zone, eu-west-1a.
SELECT m.name AS name, m.value AS value,
  CAST(SUM(r.wait_ns) AS BIGINT) AS wait_ns, CAST(SUM(r.running_ns) AS BIGINT) AS running_ns,
  COUNT(*) AS recordings, 1e0 * SUM(r.wait_ns) / NULLIF(SUM(r.running_ns), 0) AS pressure
FROM recordings r
JOIN metadata m ON m.host = r.host
WHERE r.unit = 'ns'
GROUP BY m.name, m.value
ORDER BY 6 DESC, 1, 2
