#!/usr/bin/env bash
# An export as a Slurm array on this machine alone: slurm.sh CONTEND FOLDER-OF-RECORDINGS.
# Debian's packages slurmctld, slurmd, slurm-client and munge must be there, and
# it must be root. One task of four is killed while its files are half written,
# and requeued; then nothing may be seen but what one process writes.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: slurm.sh CONTEND FOLDER" >&2; exit 2; }
contend=$(realpath "$1") recordings=$(realpath "$2")
work=$(mktemp -d)
chmod 755 "$work"
mkdir -p "$work"/{state,spool,facts} /run/munge
host=$(hostname -s)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

dd if=/dev/urandom of="$work/munge.key" bs=64 count=1 status=none
chmod 600 "$work/munge.key"
munged --force --foreground --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munge.pid" \
  --log-file="$work/munge.log" --seed-file="$work/munge.seed" &
pids+=($!)

cat > "$work/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmctldPort=36817
SlurmdPort=36818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=1,requeue_delay=1
MpiDefault=none
ReturnToService=2
JobRequeue=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
slurmctld -D -f "$SLURM_CONF" > "$work/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D -f "$SLURM_CONF" > "$work/slurmd.log" 2>&1 &
pids+=($!)
for _ in $(seq 60); do sinfo -h -o %t 2>/dev/null | grep -q idle && break; sleep 1; done
sinfo

cat > "$work/task.sh" <<TASK
#!/bin/bash
export="$contend export $recordings -o $work/facts --shard \$SLURM_ARRAY_TASK_ID/4 --max-unreadable 100%"
if [ "\$SLURM_ARRAY_TASK_ID" = 1 ] && [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then
  \$export &
  victim=\$!
  while kill -0 \$victim 2>/dev/null && ! ls -l /proc/\$victim/fd 2>/dev/null | grep -q 'waits/\.part'; do sleep 0.01; done
  kill -9 \$victim
  find $work/facts -name '.*.tmp' > $work/killed
  scontrol requeue "\${SLURM_ARRAY_JOB_ID}_1"
  sleep 60
fi
exec \$export
TASK
job=$(sbatch --parsable --requeue --array=0-3 --output="$work/task-%a.log" --open-mode=append "$work/task.sh")
for _ in $(seq 300); do [ -z "$(squeue -h -j "$job" 2>/dev/null)" ] && break; sleep 1; done
cat "$work"/task-*.log
[ -s "$work/killed" ] || { echo "no task was killed while it wrote"; exit 1; }
echo "killed while it wrote: $(wc -l < "$work/killed") files had no name yet"

for i in 0 1 2 3; do
  "$contend" export "$recordings" -o "$work/one" --shard "$i/4" --max-unreadable 100%
done
(cd "$work/facts" && find . -name '*.parquet' ! -name '.*' -exec sha256sum {} + | sort -k 2) > "$work/array.sums"
(cd "$work/one" && find . -name '*.parquet' -exec sha256sum {} + | sort -k 2) > "$work/one.sums"
diff "$work/array.sums" "$work/one.sums"
echo "the array's $(wc -l < "$work/array.sums") files are those of one process, byte for byte"
