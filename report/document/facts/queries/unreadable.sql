-- Recordings of which all or part could not be read.
SELECT recording, COALESCE(service, '') AS service, COALESCE(version, '') AS version, COALESCE(host, '') AS host,
  wait_ns, running_ns, COALESCE(warnings, '') AS warnings, COALESCE(error, '') AS error
FROM recordings
WHERE damaged
ORDER BY CASE WHEN error IS NULL THEN 1 ELSE 0 END, recording
