#!/usr/bin/env bash
# Time contend on traces that are doubled twice in one respect, and print what
# each doubling costs: 2 is in step with the size, 4 its square. Processor time is
# taken, not wall time: a busy machine disturbs it less.
#
#   testdata/bench-scale.sh [NAME ...]      default: all of them
#
# CONTEND names the binary to time (default: built from here), SCALE multiplies
# all sizes (default 1).
set -euo pipefail
cd "$(dirname "$0")"
scale=${SCALE:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# trace KIND WAITS THREADS LOCKS STACKS writes a text trace of recorded waits.
#   wide    all threads queue for one lock, first come first served
#   chain   each thread waits for a lock the next one holds, who waits in turn
#   each    every thread waits for every lock in turn
#   spread  locks are taken at random, each by whoever is free
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

# took COMMAND ... prints the seconds of processor time of a command.
took() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

# doubled NAME WHAT MAKE ... times contend on a size, twice and four times that: MAKE
# gets each size; a word N among the command's is replaced by it.
doubled() {
	local name=$1 size=$2 make=$3 n seconds before='' line
	shift 3
	line=$(printf '%-34s' "$name")
	for by in 1 2 4; do
		n=$((size * by * scale))
		$make "$n" >"$dir/trace"
		seconds=$(took "$contend" "${@//N/$n}" "$dir/trace")
		line+=$(printf ' %9d %7.2f s' "$n" "$seconds")
		[ -z "$before" ] || line+=" x$(awk -v a="$seconds" -v b="$before" 'BEGIN { printf "%.1f", a / (b > 0 ? b : 0.01) }')"
		before=$seconds
	done
	echo "$line"
}

waits() { trace spread "$1" 64 64 100; }
threads() { trace spread 40000 "$1" 64 100; }
locks() { trace each "$1" 100 "$1" 20; }
both() { trace spread $(($1 * 400)) "$1" "$1" 50; }
oneSite() { trace each $(($1 * 10)) 100 "$1" 1; }
stacks() { trace spread 40000 50 20 "$1"; }
wide() { trace wide 20000 "$1" 1 20; }
chain() { trace chain 10000 "$1" "$1" 20; }

contend=${CONTEND:-}
if [ -z "$contend" ]; then
	(cd .. && go build -o "$dir/contend" .)
	contend=$dir/contend
fi
for name in ${*:-waits threads locks both one-site stacks wide chain dumps intervals graph}; do
	case $name in
	waits) doubled 'waits' 50000 waits analyze ;;
	threads) doubled 'threads, as many waits' 250 threads analyze ;;
	locks) doubled 'locks, a wait for each' 50000 locks analyze ;;
	both) doubled 'locks, threads, waits of each' 50 both analyze ;;
	one-site) doubled 'locks that share a call site' 1000 oneSite analyze ;;
	stacks) doubled 'stacks, as many waits' 5000 stacks analyze ;;
	wide) doubled 'waiters at once, as many waits' 125 wide analyze ;;
	chain) doubled 'depth of chains, as many waits' 62 chain analyze ;;
	dumps) doubled 'thread dumps' 250 dumps analyze ;;
	intervals) doubled 'intervals of csp, and waits' 20000 waits csp --interval 100us ;;
	graph) doubled 'locks and threads of a graph' 50 both graph --format dot -o - ;;
	*)
		echo "there is no $name" >&2
		exit 2
		;;
	esac
done
