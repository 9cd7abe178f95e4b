#!/bin/sh
# Hold 'contend whatif' against programs that were changed: record each five
# times with its section as it is and five times with a shorter one, both at once,
# and print the throughput measured beside the range predicted from the first.
#
#   testdata/worth.sh [FOLDER]       default: a new one, which is removed
#
# JARS is a folder with derby.jar and h2.jar (Debian: libderby-java, libh2-java);
# without one the databases are left out. PROGRAMS, RUNS (5), SECONDS_EACH (6), JAVA_HOME.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
runs=${RUNS:-5}
seconds=${SECONDS_EACH:-6}
programs=${PROGRAMS:-nested reentrant go derby h2}
jars=${JARS:-/usr/share/java}
bin=${JAVA_HOME:+$JAVA_HOME/bin/}
dir=${1:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT INT TERM
fi
mkdir -p "$dir/classes"
contend=${CONTEND:-$dir/contend}
[ -x "$contend" ] || (cd "$here/.." && go build -o "$contend" .)
"${bin}javac" -d "$dir/classes" "$here/worth/Worth.java"
cp "$here/worth/worth.go.txt" "$dir/worth.go"
go build -o "$dir/worth" "$dir/worth.go"
"$contend" jfc --dump-period 0 >"$dir/worth.jfc"
path=$dir/classes:$jars/derby.jar:$jars/h2.jar

# run PROGRAM MILLISECONDS FILE prints the operations in a second.
run() {
	if [ "$1" = go ]; then
		"$dir/worth" "$2" "$seconds" "$3"
		return
	fi
	"${bin}java" -Xlog:disable -Dderby.stream.error.file=/dev/null -cp "$path" Worth "$1" "$2" "$seconds" "$dir/worth.jfc" "$3" 2>/dev/null
}

# middle prints the median of numbers on its input.
middle() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# compare PROGRAM SECTION BEFORE AFTER
compare() {
	program=$1 section=$2
	case " $programs " in *" $program "*) ;; *) return ;; esac
	: >"$dir/$program.before"
	: >"$dir/$program.after"
	for i in $(seq "$runs"); do # side by side: what else the machine has to do is the same for both, and they mostly sleep
		run "$program" "$3" "$dir/$program-$3-$i.trace" >"$dir/before" &
		run "$program" "$4" "$dir/$program-$4-$i.trace" >"$dir/after"
		wait
		grep '^[0-9]' "$dir/before" >>"$dir/$program.before"
		grep '^[0-9]' "$dir/after" >>"$dir/$program.after"
	done
	before=$(middle <"$dir/$program.before")
	after=$(middle <"$dir/$program.after")
	shrink=$(paste -d ' ' "$dir/$program.before" "$dir/$program.after" | awk '{ b += $2; a += $4 } END { printf "%.3f", 1 - a / b }')
	echo "$program: $section from $3 to $4 ms, $shrink of it gone: measured x $(echo "scale=3; $after / $before" | bc) (medians of $runs)"
	for i in $(seq "$runs"); do
		pair=$(paste -d ' ' "$dir/$program.before" "$dir/$program.after" | awk -v i="$i" 'NR == i { printf "%.3f", $3 / $1 }')
		range=$("$contend" whatif --section "$section" --shrink "$shrink" "$dir/$program-$3-$i.trace" 2>/dev/null | sed -n 's/^ *\(x [0-9.]* ([0-9.]* to [0-9.]*)\) .*/\1/p')
		echo "   pair $i: measured x $pair, predicted $range"
	done
}

compare nested Worth.archive 6 3
compare reentrant Worth.export 10 5
compare go main.export 10 5
for database in derby h2; do
	if [ -f "$jars/$database.jar" ]; then
		compare $database Worth.query 10 5
	else
		echo "$database: skipped, there is no $jars/$database.jar; set JARS"
	fi
done
