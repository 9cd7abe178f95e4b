-- Hosts whose pressure is not that of the others with the same version: how far
-- it is from the median, in median absolute deviations (1.4826 of which are a
-- standard deviation where all is normal). Beyond 3.5 is worth a look.
WITH hosts AS (
  SELECT COALESCE(service, '') AS svc, COALESCE(version, '') AS ver, COALESCE(host, '') AS name,
    SUM(wait_ns) AS waiting, SUM(running_ns) AS running, 1e0 * SUM(wait_ns) / NULLIF(SUM(running_ns), 0) AS ratio
  FROM recordings
  WHERE unit = 'ns' AND running_ns > 0
  GROUP BY COALESCE(service, ''), COALESCE(version, ''), COALESCE(host, '')
), ranked AS (
  SELECT svc, ver, ratio, ROW_NUMBER() OVER (PARTITION BY svc, ver ORDER BY ratio, name) AS place, COUNT(*) OVER (PARTITION BY svc, ver) AS number
  FROM hosts
), medians AS (
  SELECT svc, ver, ratio AS middle FROM ranked WHERE 2 * place = number OR 2 * place = number + 1
), distances AS (
  SELECT h.svc AS svc, h.ver AS ver, h.name AS name, h.waiting AS waiting, h.running AS running, h.ratio AS ratio,
    m.middle AS middle, ABS(h.ratio - m.middle) AS distance
  FROM hosts h
  JOIN medians m ON m.svc = h.svc AND m.ver = h.ver
), spread AS (
  SELECT svc, ver, distance, ROW_NUMBER() OVER (PARTITION BY svc, ver ORDER BY distance, name) AS place, COUNT(*) OVER (PARTITION BY svc, ver) AS number
  FROM distances
), deviations AS (
  SELECT svc, ver, distance AS deviation FROM spread WHERE 2 * place = number OR 2 * place = number + 1
)
SELECT d.svc AS service, d.ver AS version, d.name AS host,
  CAST(d.waiting AS BIGINT) AS wait_ns, CAST(d.running AS BIGINT) AS running_ns,
  d.ratio AS pressure, d.middle AS median_pressure,
  (d.ratio - d.middle) / NULLIF(1.4826e0 * s.deviation, 0e0) AS deviations
FROM distances d
JOIN deviations s ON s.svc = d.svc AND s.ver = d.ver
ORDER BY d.distance / NULLIF(s.deviation, 0e0) DESC NULLS LAST, d.distance DESC, 1, 2, 3
