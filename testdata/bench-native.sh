#!/bin/sh
# Time contend analyze on a long sampled trace against zstd, which only
# decompresses the bytes of version 1 of the format, and print the ratios and the
# sizes of both versions. The trace is simulated: 12 threads that hold one lock
# while they wait for another.
#
#   testdata/bench-native.sh [MEGABYTES]      default 1000, of version 1 before compression
#
# PERIOD (default 1ms) is the time between two samples. The sections take two
# milliseconds: with 1ms few samples show what the one before showed, with 20us
# most do. contend decompresses blocks, zstd the plain trace in one piece.
set -eu
cd "$(dirname "$0")"
size=${1:-1000}
period=${PERIOD:-1ms}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

# seconds FILE COMMAND ... runs a command three times and writes the least wall
# time and the least time of the processors, in seconds, to a file.
seconds() {
	file=$1
	shift
	for _ in 1 2 3; do
		/usr/bin/env bash -c 'TIMEFORMAT="%R %U %S"; time "$0" "$@" >/dev/null 2>&1' "$@" 2>>"$file.all" || return 1
	done
	awk '{ cpu = $2 + $3; if (NR == 1 || $1 < wall) wall = $1; if (NR == 1 || cpu < least) least = cpu } END { print wall, least }' "$file.all" >"$file"
}

# simulated EVENTS FILE writes so many contention events, and the ticks between.
simulated() {
	"$dir/contend" simulate --scenario nested --threads 12 --period "$period" --duration 1000h --events "$1" --codec none --trace-version 1 -o "$2"
}

(cd .. && go build -o "$dir/contend" .)
probe=100000
simulated "$probe" "$dir/probe.bin"
each=$(($(wc -c <"$dir/probe.bin") * 100 / probe)) # hundredths of a byte
simulated $((size * 100000000 / each)) "$dir/plain.bin"
"$dir/contend" convert --trace-version 1 "$dir/plain.bin" -o "$dir/v1.bin"
"$dir/contend" convert "$dir/plain.bin" -o "$dir/v2.bin"
for file in plain v1 v2; do
	echo "$file.bin: $(($(wc -c <"$dir/$file.bin") / 1000)) kB"
done
if ! command -v zstd >/dev/null; then
	echo "skipped: there is no zstd to compare with"
	exit 0
fi
zstd -q -1 "$dir/plain.bin" -o "$dir/whole.zst"
seconds "$dir/peer" zstd -dc "$dir/whole.zst"
read -r wall cpu <"$dir/peer"
echo "zstd -dc                                $wall s, CPU $cpu s"

# row NAME ARGUMENTS ... times an analysis.
row() {
	name=$1
	shift
	seconds "$dir/row" "$dir/contend" analyze "$@"
	read -r w c <"$dir/row"
	rm "$dir/row.all"
	echo "$name  $w s, CPU $c s: $(echo "scale=1; $w / $wall" | bc) and $(echo "scale=1; $c / $cpu" | bc) times zstd (target: 5)"
}
row "contend analyze, version 1             " "$dir/v1.bin"
row "contend analyze, version 2             " "$dir/v2.bin"
row "contend analyze, version 1 in one frame" "$dir/whole.zst"
row "contend analyze, 2, a minute of it     " --from 1m --to 2m "$dir/v2.bin"
