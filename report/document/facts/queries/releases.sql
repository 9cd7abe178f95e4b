-- Pressure of each version, and its change against the version before: of those
-- of a service the one whose first recording began earlier.
WITH versions AS (
  SELECT COALESCE(service, '') AS svc, COALESCE(version, '') AS ver, MIN(start) AS first_start,
    SUM(wait_ns) AS waiting, SUM(running_ns) AS running, COUNT(*) AS number
  FROM recordings
  WHERE unit = 'ns' AND start IS NOT NULL
  GROUP BY COALESCE(service, ''), COALESCE(version, '')
), placed AS (
  SELECT svc, ver, waiting, running, number, 1e0 * waiting / NULLIF(running, 0) AS ratio,
    ROW_NUMBER() OVER (PARTITION BY svc ORDER BY first_start, ver) AS place
  FROM versions
)
SELECT v.svc AS service, v.ver AS version,
  CAST(v.waiting AS BIGINT) AS wait_ns, CAST(v.running AS BIGINT) AS running_ns,
  v.number AS recordings, v.ratio AS pressure, v.ratio - b.ratio AS pressure_change
FROM placed v
LEFT JOIN placed b ON b.svc = v.svc AND b.place + 1 = v.place
ORDER BY v.svc, v.place
