#!/usr/bin/env bash
# Time contend on large recordings and a Go trace against the tools that come with
# the JDK and with Go, and print the ratios, each pair taken in the same minute.
#
#   testdata/bench-jfr.sh [MEGABYTES]      default 350, of each recording
#
# JFR names the JDK's tool (default: jfr on the path; JDK 25's also has views),
# JFRCONV that of async-profiler, CONTEND the binary to time (default: built from
# here), MIXES which recordings to make (default: all; a file's whole name times
# that recording), GOTRACE a Go trace (default: one of 100 MB, recorded here). A
# ratio is that of wall times, the best of two runs; the processor time tells it on
# a busy machine. What is missing is skipped, and so is what fails: JDK 25's view of
# sites does where a file joins recordings of several JVMs.
set -euo pipefail
cd "$(dirname "$0")"
size=${1:-350}
jfr=${JFR:-jfr}
jfrconv=${JFRCONV:-jfrconv}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# copies MEGABYTES FILE ... writes the recordings over and over.
copies() {
	local limit=$(($1 * 1000000)) n=0
	shift
	while [ "$n" -lt "$limit" ]; do
		cat "$@"
		n=$((n + $(cat "$@" | wc -c)))
	done
}

# inTurn OUT MEGABYTES FILE ... does so with each copy behind the one before in time,
# as one long recording is: it sets the start in the header of every chunk.
inTurn() {
	python3 - "$@" <<'EOF'
import struct, sys
out, limit, files = open(sys.argv[1], "wb"), int(sys.argv[2]) * 10**6, sys.argv[3:]
def chunks(data):
    at = 0
    while at < len(data):
        yield at
        at += struct.unpack_from(">q", data, at + 8)[0]
def copies(data, at):  # of the header, which a JVM writes into the chunk at each flush
    end = at + struct.unpack_from(">q", data, at + 8)[0]
    while (at := data.find(b"FLR\0", at + 1, end)) > 0:
        yield at
units = []
for name in files:
    data = bytearray(open(name, "rb").read())
    starts = [(at, *struct.unpack_from(">qq", data, at + 32)) for at in chunks(data)]
    units.append((data, starts, min(s for _, s, _ in starts), max(s + d for _, s, d in starts)))
now, written = units[0][2], 0
while written < limit:
    for data, starts, first, last in units:
        for at, start, _ in starts:
            struct.pack_into(">q", data, at + 32, start - first + now)
            for copy in copies(data, at):
                struct.pack_into(">q", data, copy + 32, start - first + now)
        out.write(data)
        written += len(data)
        now += last - first + 10**7
EOF
}

# took COMMAND ... prints wall time, processor time (s) and peak memory (MB): the
# best of two runs; nothing where the command fails.
took() {
	for _ in 1 2; do
		command time -f '%e %U %S %M' -o "$dir/took" "$@" >/dev/null 2>&1 || return 0
		awk 'END { print $1, $2 + $3, int($4 / 1024) }' "$dir/took"
	done | sort -n | head -n 1
}

# line NAME TOOK [OURS] prints a line of the table; OURS is what contend took.
line() {
	if [ -z "$2" ]; then
		printf '  %-34s skipped: it fails, or is not here\n' "$1"
		return
	fi
	awk -v name="$1" -v took="$2" -v ours="${3:-}" 'BEGIN {
		split(took, t); split(ours, o)
		printf "  %-34s %6.2f s wall %6.2f s processor %5d MB", name, t[1], t[2], t[3]
		if (ours != "") printf "   contend takes %.2f x wall, %.2f x processor", o[1] / (t[1] + 0.001), o[2] / (t[2] + 0.001)
		print ""
	}'
}

# against FILE times contend and its peers on a recording.
against() {
	local ours waits
	ours=$(took "$contend" analyze "$1")
	waits=$("$contend" analyze --format json "$1" 2>/dev/null | tr -d ' \n' | grep -o '"waits":[0-9]*' | head -n 1 | cut -d: -f2)
	line "contend analyze" "$ours"
	awk -v took="$ours" -v waits="${waits:-0}" 'BEGIN { split(took, t); if (waits > 0) printf "  %-34s %6.0f bytes a wait beyond 128 MB, %d waits\n", "", (t[3] > 128 ? t[3] - 128 : 0) * 1048576 / waits, waits }'
	if command -v "$jfrconv" >/dev/null; then
		line "jfrconv --lock" "$(took "$jfrconv" --lock "$1" "$dir/lock.html")" "$ours"
	fi
	command -v "$jfr" >/dev/null || return 0
	line "jfr summary" "$(took "$jfr" summary "$1")" "$ours"
	line "jfr view contention-by-class" "$(took "$jfr" view contention-by-class "$1")" "$ours"
	line "jfr view contention-by-site" "$(took "$jfr" view contention-by-site "$1")" "$ours"
}

contend=${CONTEND:-}
if [ -z "$contend" ]; then
	(cd .. && go build -o "$dir/contend" .)
	contend=$dir/contend
fi
mixed=(truth-8threads.jfr hsqldb-6clients.jfr xalan-8threads.jfr)
for mix in ${MIXES:-in-turn overlapping profile pools dumps go}; do
	case $mix in
	in-turn)
		echo "one recording behind the other, $size MB"
		command -v python3 >/dev/null || { echo "  skipped: there is no python3"; continue; }
		inTurn "$dir/trace.jfr" "$size" "${mixed[@]}"
		against "$dir/trace.jfr"
		;;
	overlapping)
		echo "recordings of the same time, $size MB"
		copies "$size" "${mixed[@]}" >"$dir/trace.jfr"
		against "$dir/trace.jfr"
		;;
	profile)
		echo "mostly other events, $size MB"
		command -v python3 >/dev/null || { echo "  skipped: there is no python3"; continue; }
		inTurn "$dir/trace.jfr" "$size" lab-striped-jdk17-profile.jfr phases-default-settings.jfr
		against "$dir/trace.jfr"
		;;
	pools)
		echo "pools, mostly idle, $size MB"
		command -v python3 >/dev/null || { echo "  skipped: there is no python3"; continue; }
		inTurn "$dir/trace.jfr" "$size" pools/pools-jdk17.jfr pools/pools-jdk25.jfr
		against "$dir/trace.jfr"
		;;
	dumps)
		echo "1,000 thread dumps"
		for _ in $(seq 125); do cat truth-series-8dumps-jdk17.txt; done >"$dir/trace"
		line "contend analyze" "$(took "$contend" analyze "$dir/trace")"
		;;
	go)
		if [ -n "${GOTRACE:-}" ]; then
			cp "$GOTRACE" "$dir/trace"
		else
			go run bench-trace.go "$dir/trace" 100
		fi
		echo "a Go trace, $(($(wc -c <"$dir/trace") / 1000000)) MB"
		ours=$(took "$contend" analyze "$dir/trace")
		line "contend analyze" "$ours"
		line "go tool trace -pprof=sync" "$(took go tool trace -pprof=sync "$dir/trace")" "$ours"
		;;
	*.jfr)
		echo "$(basename "$mix"), $(($(wc -c <"$mix") / 1000000)) MB"
		against "$mix"
		;;
	*)
		echo "there is no $mix" >&2
		exit 2
		;;
	esac
done
