-- Since which release a call chain costs: its part of the running time of each
-- version, and the change against the version before. The greatest rise is first.
WITH versions AS (
  SELECT COALESCE(service, '') AS svc, COALESCE(version, '') AS ver, MIN(start) AS first_start, SUM(running_ns) AS running
  FROM recordings
  WHERE unit = 'ns' AND start IS NOT NULL
  GROUP BY COALESCE(service, ''), COALESCE(version, '')
), placed AS (
  SELECT svc, ver, running, ROW_NUMBER() OVER (PARTITION BY svc ORDER BY first_start, ver) AS place
  FROM versions
), costs AS (
  SELECT COALESCE(r.service, '') AS svc, COALESCE(r.version, '') AS ver, w.class AS cls, w.owner_chain AS chain, SUM(w.wait_ns) AS waiting
  FROM waits w
  JOIN recordings r ON r.recording = w.recording
  WHERE r.unit = 'ns' AND r.start IS NOT NULL
  GROUP BY COALESCE(r.service, ''), COALESCE(r.version, ''), w.class, w.owner_chain
), chains AS (
  SELECT DISTINCT svc, cls, chain FROM costs
), ratios AS (
  SELECT p.svc AS svc, p.ver AS ver, p.place AS place, p.running AS running, c.cls AS cls, c.chain AS chain,
    COALESCE(k.waiting, 0) AS waiting, 1e0 * COALESCE(k.waiting, 0) / NULLIF(p.running, 0) AS ratio
  FROM placed p
  JOIN chains c ON c.svc = p.svc
  LEFT JOIN costs k ON k.svc = p.svc AND k.ver = p.ver AND k.cls = c.cls AND k.chain = c.chain
)
SELECT v.svc AS service, v.ver AS version, v.cls AS class, v.chain AS owner_chain,
  CAST(v.waiting AS BIGINT) AS wait_ns, CAST(v.running AS BIGINT) AS running_ns,
  v.ratio AS pressure, v.ratio - b.ratio AS pressure_change
FROM ratios v
JOIN ratios b ON b.svc = v.svc AND b.place + 1 = v.place AND b.cls = v.cls AND b.chain = v.chain
ORDER BY 8 DESC, 1, 2, 3, 4
