#!/usr/bin/env bash
# Time contend on inputs that are doubled twice in one respect, and print
# processor time and peak memory of each size, with what each doubling costs: x2.0
# is in step with the size, x4.0 its square. Processor time is taken, not wall time:
# a busy machine disturbs it less.
#
#   testdata/bench-scale.sh [NAME ...]      default: all of them, some 5 minutes
#   SCALE=1 DOUBLINGS=3 testdata/bench-scale.sh     a million locks, 100,000 stacks: an hour
#
# CONTEND names the binary to time (default: built from here), SCALE multiplies
# all sizes (default 0.2, not below 0.1), DOUBLINGS says how often (default
# 2), LIMIT after how many seconds of processor time a command is given up (default
# 60 for each unit of SCALE, 60 at least). What takes java is skipped where there is
# none.
set -euo pipefail
cd "$(dirname "$0")"
scale=${SCALE:-0.2}
doublings=${DOUBLINGS:-2}
limit=${LIMIT:-$(awk -v scale="$scale" 'BEGIN { print 60 * (scale > 1 ? scale : 1) }')}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# trace KIND WAITS THREADS LOCKS STACKS writes a text trace of recorded waits.
#   wide    all threads queue for one lock, first come first served
#   chain   each thread waits for a lock the next one holds, who waits in turn
#   each    every thread waits for every lock in turn
#   spread  locks are taken at random, each by whoever is free
#   long    the same, a millisecond apart
#   ring    each thread waits for each of a few others, at one site of its own
trace() {
	awk -v kind="$1" -v waits="$2" -v threads="$3" -v locks="$4" -v stacks="$5" '
	function wait(from, to, thread, lock, owner) {
		printf "wait time=%d end=%d thread=%d lock=%d stack=%d owner=%d\n", 1e9 + from, 1e9 + to, thread, lock, 1 + int(rand() * stacks), owner
		n++
	}
	BEGIN {
		srand(1)
		print "contend 1"
		for (t = 1; t <= threads; t++) printf "thread thread=%d name=\"worker-%d\"\n", t, t
		for (s = 1; s <= stacks; s++) printf "stack stack=%d frames=\"app.Class%d\":\"m%d\":\"\":%d,\"app.Main\":\"run\":\"\":7\n", s, s % 500, s, s % 90 + 1
		for (l = 1; l <= locks; l++) printf "object lock=%d class=\"app.Lock%d\" hash=%d kind=monitor\n", l, l % 50, l
		while (n < waits && kind == "wide") {
			t = n % threads + 1
			now = (n + threads) * 1000
			wait(n < threads ? t : since[t], now, t, 1, n ? (n - 1) % threads + 1 : 0)
			since[t] = now + 1001
		}
		while (n < waits && kind == "chain") {
			for (i = 1; i < threads && n < waits; i++)
				wait(at + (threads - i) * 10, at + threads * 10 + 1000 + (threads - i) * 10, i, i, i + 1)
			at += threads * 40 + 2000
		}
		while (n < waits && kind == "each")
			wait(n * 100, n * 100 + 1500, n % threads + 1, n % locks + 1, (n + 1) % threads + 1)
		while (n < waits && kind == "ring")
			wait(n * 100, n * 100 + 90, n % threads + 1, n % locks + 1, (n + 1 + int(rand() * 4)) % threads + 1)
		while (n < waits && kind == "long")
			wait(n * 1e6, n * 1e6 + 90000, n % threads + 1, n % locks + 1, (n + 1) % threads + 1)
		while (n < waits && kind == "spread") {
			t = int(rand() * threads) + 1
			l = int(rand() * locks) + 1
			now += 40
			from = now > until[t] ? now : until[t]
			got = from > free[l] ? from : free[l]
			if (got > from) wait(from, got, t, l, last[l])
			until[t] = free[l] = got + 500 + int(rand() * 2500)
			last[l] = t
		}
		print "end"
	}'
}

# ticks LOCKS STACKS writes a text trace of samples: each of the locks is seen once, ten
# at an instant, with an owner and two waiters.
ticks() {
	awk -v locks="$1" -v stacks="$2" '
	function stack() { return 1 + int(rand() * stacks) }
	BEGIN {
		srand(1)
		print "contend 1"
		for (t = 1; t <= 100; t++) printf "thread thread=%d name=\"worker-%d\"\n", t, t
		for (s = 1; s <= stacks; s++) printf "stack stack=%d frames=\"app.Class%d\":\"m%d\":\"\":%d,\"app.Main\":\"run\":\"\":7\n", s, s % 500, s, s % 90 + 1
		for (l = 1; l <= locks; l++) printf "object lock=%d class=\"app.Lock%d\" hash=%d kind=monitor\n", l, l % 50, l
		for (l = 1; l <= locks; l++) {
			now = 1000000000 + int((l - 1) / 10) * 1000000
			if (l % 10 == 1) printf "tick time=%d intended=%d weight=0 live=100 idle=0\n", now, now
			i = l % 10 * 3
			printf "contention time=%d lock=%d owners=%d/%d/x waiters=%d/%d/x,%d/%d/x\n", now, l, i + 1, stack(), i + 2, stack(), i + 3, stack()
		}
		print "end"
	}'
}

# dumps N writes so many dumps of 50 threads, a second apart.
dumps() {
	awk -v dumps="$1" 'BEGIN { for (d = 0; d < dumps; d++) {
		printf "2026-01-31 %02d:%02d:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n", d / 3600, d / 60 % 60, d % 60
		for (t = 0; t < 50; t++) {
			printf "\"worker-%d\" #%d prio=5 os_prio=0 tid=0x%x nid=0x%x waiting for monitor entry [0x0]\n   java.lang.Thread.State: ", t, t, 4096 + t, t
			if (t == d % 50) printf "RUNNABLE\n\tat app.Store.put(Store.java:%d)\n\t- locked <0x00000000aa> (a app.Store)\n\n", d % 7
			else printf "BLOCKED (on object monitor)\n\tat app.Store.get(Store.java:%d)\n\t- waiting to lock <0x00000000aa> (a app.Store)\n\n", t % 5
		}
		print "JNI global refs: 15, weak refs: 0\n"
	}}'
}

# manyLocks N writes a flight recording of so many monitors, each waited for once.
manyLocks() {
	[ -e "$dir/ManyLocks.class" ] || javac -d "$dir" java/ManyLocks.java
	"$contend" jfc --exact --dump-period 0s >"$dir/exact.jfc"
	rm -f "$dir/locks.jfr"
	java -Xmx2g -Xmn1g -XX:+UseSerialGC -XX:StartFlightRecording:settings="$dir/exact.jfc",filename="$dir/locks.jfr" -cp "$dir" ManyLocks "$1" >/dev/null 2>&1
	cat "$dir/locks.jfr"
}

# took COMMAND ... prints the seconds of processor time of a command and its peak
# memory in MB; a dash where it fails or takes too long.
took() {
	if command time -f '%U %S %M' -o "$dir/took" bash -c 'ulimit -t "$0"; exec "$@"' "$limit" "$@" >/dev/null 2>"$dir/errors"; then
		awk 'END { printf "%.2f %d", $1 + $2, $3 / 1024 }' "$dir/took"
	else
		echo "- - $(head -n 1 "$dir/errors" | grep . || echo "took more than $limit s")"
	fi
}

# row COMMAND FILE prints a line of what each size took: size, seconds, MB.
row() {
	awk -v command="$1" '
		$2 == "-" { line = line sprintf(" %9d        -          ", $1); why = $0; sub(/^[^ ]+ - - /, "", why) }
		$2 != "-" { line = line sprintf(" %9d %7.2f s %5d MB", $1, $2, $3) }
		NR > 1 && $2 != "-" && before != "-" { line = line sprintf(" x%.1f", $2 / (before > 0 ? before : 0.01)) }
		{ before = $2 }
		NR == 1 { first = $2; from = $1 }
		END {
			if (NR > 1 && $2 > 0 && first > 0) line = line sprintf("  slope %.2f", log($2 / first) / log($1 / from))
			printf "  %-34s%s\n", command, line
			if (why != "") print "     " why
		}' "$2"
}

# doubled WHAT SIZE MAKE COMMAND ... times commands on a size, twice that and so
# on: MAKE gets each size and writes the input; of COMMAND, words between spaces, BASE
# is replaced by the input once more.
doubled() {
	local what=$1 size=$2 make=$3 n command i words
	shift 3
	echo "$what"
	rm -f "$dir"/row.*
	for ((by = 1; by <= 1 << doublings; by *= 2)); do
		n=$(awk -v size="$size" -v by="$by" -v scale="$scale" 'BEGIN { printf "%d", size * by * scale }')
		$make "$n" >"$dir/trace"
		if head -c 9 "$dir/trace" | grep -q '^contend'; then # it is not the text that is timed
			"$contend" convert "$dir/trace" -o "$dir/trace.bin"
			mv "$dir/trace.bin" "$dir/trace"
		fi
		i=0
		for command in "$@"; do
			i=$((i + 1))
			read -ra words <<<"$command"
			echo "$n $(took "$contend" "${words[@]//BASE/$dir/trace}" "$dir/trace")" >>"$dir/row.$i"
		done
	done
	i=0
	for command in "$@"; do
		i=$((i + 1))
		row "${command//$dir\/}" "$dir/row.$i"
	done
}

# recordings N compares so many recordings with as many others.
recordings() {
	local what="recordings that diff compares" n i list
	echo "$what"
	rm -f "$dir"/row.1
	trace spread 2000 64 64 100 >"$dir/trace"
	for ((by = 1; by <= 1 << doublings; by *= 2)); do
		n=$((2 * by))
		list=$(for ((i = 0; i < n; i++)); do printf '%s,' "$dir/trace"; done)
		echo "$n $(took "$contend" diff --base "${list%,}" --new "${list%,}")" >>"$dir/row.1"
	done
	row diff "$dir/row.1"
}

# every are commands that sum a trace each in its own way.
every=("analyze" "analyze --format json" "chains" "blame --by lock,owner-method" "csp" "hist" "whatif" "graph -o $dir/out.html" "flame -o $dir/out.html"
	"flame --view chain -o $dir/out.html" "pprof -o $dir/out.pb.gz" "pprof --view chain -o $dir/out.pb.gz" "report -o $dir/out.html" "export -o -" "diff BASE")

waits() { trace spread "$1" 64 64 100; }
threads() { trace spread 40000 "$1" 64 100; }
locks() { trace each "$1" 100 "$1" 100; }
sampled() { ticks "$1" 100; }
both() { trace spread $(($1 * 400)) "$1" "$1" 50; }
oneSite() { trace each $(($1 * 10)) 100 "$1" 1; }
stacks() { trace spread $(($1 * 4)) 50 20 "$1"; }
wide() { trace wide 20000 "$1" 1 20; }
chain() { trace chain 10000 "$1" "$1" 20; }
long() { trace long "$1" 64 64 100; }
nodes() { trace ring $(($1 * 20)) "$1" "$1" "$1"; }

contend=${CONTEND:-}
if [ -z "$contend" ]; then
	(cd .. && go build -o "$dir/contend" .)
	contend=$dir/contend
fi
for name in ${*:-waits threads both one-site wide chain dumps intervals graph diff recordings stacks locks sampled-locks jfr-locks}; do
	case $name in
	waits) doubled 'waits' 50000 waits analyze ;;
	threads) doubled 'threads, as many waits' 250 threads analyze ;;
	both) doubled 'locks, threads, waits of each' 25 both analyze ;;
	one-site) doubled 'locks that share a call site' 1000 oneSite analyze ;;
	wide) doubled 'waiters at once, as many waits' 125 wide analyze ;;
	chain) doubled 'depth of chains, as many waits' 62 chain analyze ;;
	dumps) doubled 'thread dumps' 1250 dumps analyze "report -o $dir/out.html" ;;
	intervals) doubled 'waits, a millisecond apart, by intervals of 1us' 1000 long 'csp --interval 1us' 'csp --interval 1us --format json' 'csp --interval 1us --chart' "csp --interval 1us -o $dir/out.html" ;;
	graph) doubled 'methods, threads and locks of a graph' 500 nodes "graph --top 150 -o $dir/out.html" "graph --by thread --top 150 -o $dir/out.html" 'graph --top 0 --matrix' 'graph --top 0 --format dot' ;;
	diff) doubled 'methods, threads and locks of both sides' 500 nodes 'diff BASE' 'chains --diff BASE' "report --diff BASE -o $dir/out.html" "flame --diff BASE -o $dir/out.html" ;;
	recordings) recordings ;;
	stacks) doubled 'stacks, four waits for each' 12500 stacks "${every[@]}" ;;
	locks) doubled 'locks, a recorded wait for each' 125000 locks "${every[@]}" ;;
	sampled-locks) doubled 'locks, a sample of each' 125000 sampled "${every[@]}" ;;
	jfr-locks)
		if command -v javac >/dev/null; then
			doubled 'monitors of a flight recording' 12500 manyLocks analyze 'analyze --format json' chains "report -o $dir/out.html"
		else
			echo 'monitors of a flight recording: skipped, there is no javac'
		fi
		;;
	*)
		echo "there is no $name" >&2
		exit 2
		;;
	esac
done
