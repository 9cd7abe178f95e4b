#!/bin/sh
# Time contend analyze on a large recording against the JDK's jfr tool, and
# print the ratios. The recording is three of testdata joined over and over.
#
#   testdata/bench-jfr.sh [MEGABYTES]      default 750
#
# JFR names the JDK's tool (default: jfr on the path; without one only contend
# is timed). 'jfr view' is timed on a part of the recording, VIEW_MEGABYTES
# (default 75), and its time multiplied: it needs minutes, and gigabytes, for
# the whole.
set -eu
cd "$(dirname "$0")"
size=${1:-750}
part=${VIEW_MEGABYTES:-75}
jfr=${JFR:-jfr}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# joined MEGABYTES FILE writes a recording of at least that size.
joined() {
	cat truth-8threads.jfr hsqldb-6clients.jfr xalan-8threads.jfr >"$dir/unit"
	unit=$(wc -c <"$dir/unit")
	n=$((($1 * 1000000 + unit - 1) / unit))
	while [ "$n" -gt 0 ]; do
		cat "$dir/unit"
		n=$((n - 1))
	done >"$2"
}

# seconds COMMAND ... prints the wall time of a command, in seconds, the best
# of two runs.
seconds() {
	for _ in 1 2; do
		begin=$(date +%s.%N)
		"$@" >/dev/null 2>&1 || return 1
		end=$(date +%s.%N)
		echo "$end - $begin" | bc
	done | sort -n | head -n 1
}

(cd .. && go build -o "$dir/contend" .)
joined "$size" "$dir/whole.jfr"
ours=$(seconds "$dir/contend" analyze "$dir/whole.jfr")
echo "contend analyze                 $size MB  $ours s"
if ! command -v "$jfr" >/dev/null; then
	echo "skipped: there is no $jfr to compare with; set JFR"
	exit 0
fi
summary=$(seconds "$jfr" summary "$dir/whole.jfr")
echo "jfr summary                     $size MB  $summary s"
echo "contend takes $(echo "scale=2; $ours / $summary" | bc) times as long (target: at most 4)"
joined "$part" "$dir/part.jfr"
if view=$(seconds "$jfr" view contention-by-site "$dir/part.jfr") && [ -n "$view" ]; then
	echo "jfr view contention-by-site     $part MB  $view s"
	echo "contend is $(echo "scale=1; $view * $size / $part / $ours" | bc) times as fast (target: at least 20)"
else
	echo "skipped: $jfr view contention-by-site fails: JDKs before 21 do not have it, and 25 gives up at an event without frames"
fi
