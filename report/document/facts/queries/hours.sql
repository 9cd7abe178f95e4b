-- Pressure by the hour of the day, in UTC.
SELECT COALESCE(r.service, '') AS service, EXTRACT(HOUR FROM i.interval_start) AS hour,
  CAST(SUM(i.wait_ns) AS BIGINT) AS wait_ns, CAST(SUM(i.running_ns) AS BIGINT) AS running_ns,
  1e0 * SUM(i.wait_ns) / NULLIF(SUM(i.running_ns), 0) AS pressure
FROM intervals i
JOIN recordings r ON r.recording = i.recording
WHERE r.unit = 'ns' AND i.interval_start IS NOT NULL
GROUP BY COALESCE(r.service, ''), EXTRACT(HOUR FROM i.interval_start)
ORDER BY 1, 2
