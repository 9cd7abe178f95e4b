#!/bin/sh
# Time contend analyze on a long sampled trace against zstd, which only
# decompresses the same bytes, and print the ratios. The trace is simulated:
# 12 threads that hold one lock while they wait for another.
#
#   testdata/bench-native.sh [MEGABYTES]      default 1000, before compression
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

# seconds COMMAND ... prints the wall time of a command, in seconds, the best
# of three runs.
seconds() {
	for _ in 1 2 3; do
		begin=$(date +%s.%N)
		"$@" >/dev/null 2>&1 || return 1
		end=$(date +%s.%N)
		echo "$end - $begin" | bc
	done | sort -n | head -n 1
}

# simulated EVENTS FILE writes so many contention events, and the ticks between.
simulated() {
	"$dir/contend" simulate --scenario nested --threads 12 --period "$period" --duration 1000h --events "$1" --codec none -o "$2"
}

(cd .. && go build -o "$dir/contend" .)
probe=100000
simulated "$probe" "$dir/probe.bin"
each=$(($(wc -c <"$dir/probe.bin") * 100 / probe)) # hundredths of a byte
simulated $((size * 100000000 / each)) "$dir/plain.bin"
raw=$(($(wc -c <"$dir/plain.bin") / 1000000))
"$dir/contend" convert --codec zstd "$dir/plain.bin" -o "$dir/blocks.bin"
ours=$(seconds "$dir/contend" analyze "$dir/blocks.bin")
echo "contend analyze, blocks         $raw MB  $ours s"
if ! command -v zstd >/dev/null; then
	echo "skipped: there is no zstd to compare with"
	exit 0
fi
zstd -q -1 "$dir/plain.bin" -o "$dir/whole.zst"
whole=$(seconds "$dir/contend" analyze "$dir/whole.zst")
peer=$(seconds zstd -dc "$dir/whole.zst")
echo "contend analyze, one frame      $raw MB  $whole s"
echo "zstd -dc                        $raw MB  $peer s"
echo "contend takes $(echo "scale=2; $ours / $peer" | bc) times as long (target: at most 2), $(echo "scale=2; $whole / $peer" | bc) on one frame"
