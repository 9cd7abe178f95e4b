#!/bin/sh
# Records truth.cc or truth.py with perf as 'contend record --perf' does, and
# writes what perf script prints, compressed, beside what the program logged:
#   testdata/native/record.sh cc|py|rs SEED MILLISECONDS NAME
# makes NAME.perf.txt.zst and NAME.truth.json. CONTEND is the contend to ask for
# the commands, PYTHON the interpreter, 3.12 or later for names of functions.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kind=$1 seed=$2 millis=$3 name=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
case $kind in
cc) (cd "$here" && ${CXX:-g++} -std=c++17 -O1 -g1 -pthread -o "$dir/truth" truth.cc); set -- "$dir/truth" ;;
rs) (cd "$here" && rustc -O -C debuginfo=1 -o "$dir/truth" truth.rs); set -- "$dir/truth" ;;
py) cp "$here/truth.py" "$dir"; set -- "${PYTHON:-python3}" -X perf "$dir/truth.py" ;;
esac
"$@" "$name.truth.json" "$millis" "$seed" "$dir/gate" &
pid=$!
sleep 0.5
seconds=$((millis / 1000 + 10)).$pid # nobody else sleeps as long
"${CONTEND:-contend}" perf-args --duration "${seconds}s" "$pid" > "$dir/commands"
(cd "$dir" && sh ./commands) &
perf=$!
until pgrep -x -f "sleep ${seconds%0}" > "$dir/sleeps"; do sleep 0.1; done # perf begins its command when it records
touch "$dir/gate"
wait $pid
wait $perf || true
# Neither where it was recorded nor what else ran there.
sed -E "s|$dir|/src|g; s|/[^ ():]*/lib/|/usr/lib/|g; s|/tmp/perf-|perf-|; s|[(]/[^ )]*/bin/|(/usr/bin/|
  /next_comm=(truth|python3|worker-[0-9]+|consumer-[0-9]+|swapper\\/[0-9]+) next_pid/!s/next_comm=.* next_pid/next_comm=other next_pid/
  /comm=(truth|python3|worker-[0-9]+|consumer-[0-9]+|sleep|perf) pid=/!s/sched_waking: comm=.* pid=/sched_waking: comm=other pid=/" "$dir/perf.txt" | zstd -q -19 -f -o "$name.perf.txt.zst"
rm -f "/tmp/perf-$pid.map"
