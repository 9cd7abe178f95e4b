#!/bin/sh
# Time contend verify, which decodes, and contend analyze on a long sampled and an exact
# trace against zstd, which only decompresses the same bytes, and print the ratios. The
# traces are simulated: 12 threads that hold one lock while they wait for another.
#
#   testdata/bench-native.sh [MEGABYTES]      default 200, before compression
#
# PERIOD (default 1ms) is the time between two samples. contend decompresses blocks, zstd
# the plain trace in one piece.
set -eu
cd "$(dirname "$0")"
size=${1:-200}
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

# row NAME ZSTD COMMAND FILE times a command against zstd.
row() {
	seconds "$dir/row" "$dir/contend" "$3" "$4"
	read -r wall cpu <"$2"
	read -r w c <"$dir/row"
	rm "$dir/row.all"
	echo "$1  $w s, CPU $c s: $(echo "scale=1; $w / $wall" | bc) and $(echo "scale=1; $c / $cpu" | bc) times zstd (target: 4)"
}

command -v zstd >/dev/null || { echo "skipped: there is no zstd to compare with"; exit 0; }
(cd .. && go build -o "$dir/contend" .)
simulate() { "$dir/contend" simulate --scenario nested --threads 12 --codec none "$@"; }
simulate --period "$period" --duration 1000h --events $((size * 32800)) -o "$dir/sampled.bin"
simulate --exact --duration $((size * 86))s -o "$dir/exact.bin"
for kind in sampled exact; do
	zstd -q -1 "$dir/$kind.bin" -o "$dir/$kind.zst"
	seconds "$dir/$kind.peer" zstd -dc "$dir/$kind.zst"
	read -r wall cpu <"$dir/$kind.peer"
	echo "$kind: $(($(wc -c <"$dir/$kind.bin") / 1000)) kB, zstd -dc $wall s, CPU $cpu s"
	"$dir/contend" convert "$dir/$kind.bin" -o "$dir/$kind.ctd"
	row "contend verify  $kind" "$dir/$kind.peer" verify "$dir/$kind.ctd"
	row "contend analyze $kind" "$dir/$kind.peer" analyze "$dir/$kind.ctd"
done
