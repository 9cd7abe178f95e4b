-- Which call chains held locks while others waited, in all recordings.
SELECT w.class, w.owner_kind, w.owner_chain,
  CAST(SUM(w.wait_ns) AS BIGINT) AS wait_ns,
  CAST(MAX(t.running) AS BIGINT) AS running_ns,
  CAST(SUM(w.waits) AS BIGINT) AS waits,
  COUNT(DISTINCT w.recording) AS recordings
FROM waits w
JOIN recordings r ON r.recording = w.recording
CROSS JOIN (SELECT SUM(running_ns) AS running FROM recordings WHERE unit = 'ns') t
WHERE r.unit = 'ns'
GROUP BY w.class, w.owner_kind, w.owner_chain
ORDER BY 4 DESC, 1, 2, 3
