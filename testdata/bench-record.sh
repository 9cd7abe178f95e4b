#!/bin/sh
# What the agent costs a program, on a quiet machine:
#   testdata/bench-record.sh [PAIRS [MILLISECONDS]]
# Windows with and without the agent alternate in one JVM; printed are medians
# over the pairs with 95 % intervals. JDKS, THREADS and RATES name what is tried.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
jar=$here/../format/record/agent/contend-agent.jar
javac -cp "$jar" -d "$dir" "$here/java/Overhead.java"
for java in ${JDKS:-java}; do
  "$java" -version 2>&1 | head -1
  for threads in ${THREADS:-16 200 1000}; do
    for rate in ${RATES:-20 100}; do
      "$java" -Xmx512m -Djar="$jar" -cp "$jar:$dir" Overhead "$threads" "$rate" "${1:-20}" "${2:-2000}"
    done
  done
done
