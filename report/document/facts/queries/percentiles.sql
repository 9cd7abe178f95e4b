-- How long single waits were, to three digits, over all recordings. Of sampled
-- waits both bounds are known only.
WITH buckets AS (
  SELECT COALESCE(r.service, '') AS svc, l.class AS cls, l.bound AS bnd, l.le_ns AS le, SUM(l.n) AS number
  FROM lengths l
  JOIN recordings r ON r.recording = l.recording
  WHERE r.unit = 'ns'
  GROUP BY COALESCE(r.service, ''), l.class, l.bound, l.le_ns
), ranked AS (
  SELECT svc, cls, bnd, le,
    SUM(number) OVER (PARTITION BY svc, cls, bnd ORDER BY le ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS below,
    SUM(number) OVER (PARTITION BY svc, cls, bnd) AS whole
  FROM buckets
)
SELECT svc AS service, cls AS class, bnd AS bound, CAST(MAX(whole) AS BIGINT) AS waits,
  MIN(CASE WHEN below * 100 >= whole * 50 THEN le END) AS p50_ns,
  MIN(CASE WHEN below * 100 >= whole * 90 THEN le END) AS p90_ns,
  MIN(CASE WHEN below * 100 >= whole * 99 THEN le END) AS p99_ns,
  MIN(CASE WHEN below * 1000 >= whole * 999 THEN le END) AS p999_ns,
  MAX(le) AS max_ns
FROM ranked
GROUP BY svc, cls, bnd
ORDER BY 4 DESC, 1, 2, 3
