#!/bin/sh
# What recording costs a program, on a quiet machine:
#   testdata/bench-record.sh [ROUNDS [MILLISECONDS]]
# Windows without a recorder, with the agent alone and with the agent beside a
# flight recording alternate in one JVM; printed are medians over the rounds with
# 95 % intervals, and how many samples a second the agent came to. JDKS (commands),
# THREADS and RATES name what is tried: a round takes 3 windows and about 3 s.
# Each window loads the agent anew, and a sample costs twice at first of what it does
# when all classes are compiled, after some 20 s at 20 Hz. Windows of 5 s measure the
# beginning, of 20 s most of the 30 s a recording takes; a window is at most 25 s long.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
jvm=
trap 'kill -9 $jvm 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
jar=$here/../cmd/record/agent/contend-agent.jar
(cd "$here/.." && go build -o "$dir/contend" .)
"$dir/contend" jfc --dump-period 0s > "$dir/contend.jfc"
javac -cp "$jar" -d "$dir" "$here/java/Overhead.java"
rate() { # samples a second of a trace
  "$dir/contend" dump "$1" | awk -F'[ =]' '$1 == "tick" { if (!n++) first = $3; last = $3 } END { if (n > 1) printf "%.1f", (n - 1) * 1e9 / (last - first) }'
}
for java in ${JDKS:-java}; do
  "$java" -version 2>&1 | head -1
  for threads in ${THREADS:-16 200 1000}; do
    for rate in ${RATES:-20 100}; do
      "$java" -Xmx512m -Djar="$jar" -Dtraces="$dir" -cp "$jar:$dir" Overhead "$threads" "$rate" "${1:-7}" "${2:-5000}" "$dir/contend.jfc" &
      jvm=$!
      wait $jvm
      echo "                      samples a second: alone $(rate "$dir/alone.bin"), beside JFR $(rate "$dir/beside.bin")"
    done
  done
done
