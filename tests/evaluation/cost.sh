#!/usr/bin/env bash
# What a commit costs beside the formula of the design: ./dev evaluate cost; TANDEM_BENCHMARKS=N for another number (50),
# TANDEM_FLAGS for further flags of the daemon. Three commits of a program of many benchmarks: the first, one without
# effect, and one that gives a single benchmark 10 % more work.
#   seconds = build + (k-1) links + benchmarks x launches x (start + 0.12 s) + suspects x units x (2 launches + 2 links)
set -euo pipefail

build=$(readlink -f "${1:?usage: cost.sh BUILD_DIRECTORY}")
benchmarks=${TANDEM_BENCHMARKS:-50}
layouts=4
read -ra flags <<<"${TANDEM_FLAGS:-}"
cmake --build "$build" --target relink_once tandem_linker >/dev/null
command -v sqlite3 >/dev/null || { echo 'cost: sqlite3 is not installed' >&2; exit 1; }
lld=$(command -v ld.lld) || { echo 'cost: ld.lld is not installed' >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/synthetic/repository.bash"

library() {  # library GUILTY: kernels of 1 to 5 microseconds that differ; the one of that number works 10 % longer
  awk -v n="$benchmarks" -v guilty="$1" 'BEGIN {
    print "#include <cstdint>\n"
    for (i = 1; i <= n; ++i) {
      steps = 1000 + 3000 * (i % 7) / 6
      if (i == guilty) steps *= 1.1
      printf "std::uint64_t kernel_%d(std::uint64_t value) {\n  for (int i = 0; i < %d; ++i) value = (value ^ value >> %d) * %d;\n", i, steps, 13 + i % 17, 2 * i + 1
      print "  return value;\n}" } }'
}
program() {
  awk -v n="$benchmarks" 'BEGIN {
    print "#include \"tandem.hpp\"\n"
    for (i = 1; i <= n; ++i) printf "std::uint64_t kernel_%d(std::uint64_t value);\n", i
    print "\ntemplate <class Kernel>\ntandem::Program::Body repeated(Kernel kernel) {\n  return [kernel](std::uint64_t iterations) {"
    print "    for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(kernel(tandem::seed()));\n  };\n}\n"
    print "int main(int argc, char** argv) {\n  tandem::Program program;"
    for (i = 1; i <= n; ++i) printf "  program.add(\"kernel/%d\", [] { return repeated(kernel_%d); });\n", i, i
    print "  return program.run(argc, argv);\n}" }'
}

start_repository many
library 0 >"$repository/src/library.cpp"
program >"$repository/src/main.cpp"
commit 'Add the program'
echo 'int nobody_calls_it(int value) { return value * value; }' >"$repository/src/more.cpp"
commit 'Add a function that nobody calls'
null=$id
library "$((benchmarks / 2))" >"$repository/src/library.cpp"
commit 'One kernel works 10 % longer'
guilty=$id

timed() {  # timed COMMAND…: prints its seconds
  local begin=$EPOCHREALTIME
  "$@" >"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
  awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }'
}
times=20
relinks() { "$build/relink_once" relink "$scratch/links/kept" "$scratch/out" "$lld" "$times"; }
starts() { for ((i = 0; i < times; ++i)); do "$scratch/out/program" --list; done; }
share() { awk -v n="$times" '{ print $1 / n }'; }
mkdir "$scratch/links" "$scratch/out"
export CCACHE_DISABLE=1
build_seconds=$(COMPILER_PATH=$build/libexec/tandem/linker TANDEM_LINK_DIR=$scratch/links TANDEM_LINK_LLD=$lld \
  CXXFLAGS='-ffunction-sections -fdata-sections' timed built many "$guilty" "$scratch/out/program")
"$build/relink_once" keep "$scratch/links" "$scratch/out"
link_seconds=$(timed relinks | share)
start_seconds=$(timed starts | share)

state=$scratch/state
walk "$build/tandem" many "$state" --layouts "$layouts" "${flags[@]}" >"$scratch/log" 2>&1
"$build/tandem" report --all --state_dir "$state"
database() { sqlite3 -separator ' ' "$state/tandem.db" "$1"; }
value() { database "SELECT coalesce(($1), 0)"; }

"$build/tandem" cache list --state_dir "$state" >"$scratch/cache"
# All linkings are kept: those that screens draw from, and those that confirmations made, of either side.
kept_of() { awk -v commit="$1" 'NR > 1 && NF > 8 && (commit == "" || $3 == commit) { sum += $7 } END { print sum + 0 }' "$scratch/cache"; }
printf 'build %.2f s, link %.3f s, start %.4f s; the whole walk %s s and %s links\n\n' \
  "$build_seconds" "$link_seconds" "$start_seconds" "$seconds" "$(kept_of '')"
printf '| commit | benchmarks | launches | suspects | units | links | s | by the formula, s | ratio | s per launch |\n|---|---|---|---|---|---|---|---|---|---|\n'

row() {  # row NAME COMMIT
  local ended began judged launches suspects units links
  ended=$(value "SELECT at FROM done WHERE commit_hash = '$2'")
  began=$(value "SELECT max(at) FROM done WHERE position < (SELECT position FROM done WHERE commit_hash = '$2')")
  judged=$(value "SELECT count(*) FROM verdict WHERE commit_hash = '$2' AND metric = 'time'")
  launches=$(value "SELECT sum(json_extract(verdict, '\$.launches')) FROM verdict WHERE commit_hash = '$2' AND metric = 'time'")
  suspects=$(value "SELECT count(*) FROM record WHERE json_extract(report, '\$.treatment.commit') = '$2'")
  units=$(value "SELECT sum(json_extract(report, '\$.confirmation.units')) FROM record WHERE json_extract(report, '\$.treatment.commit') = '$2'")
  links=$(kept_of "${2:0:12}")
  links=$(((links < layouts ? links : layouts) + 2 * units))  # both sides anew for every unit
  awk -v name="$1" -v judged="$judged" -v launches="$launches" -v suspects="$suspects" -v units="$units" -v links="$links" \
    -v s="$((ended - began))" -v build="$build_seconds" -v link="$link_seconds" -v start="$start_seconds" -v k="$layouts" 'BEGIN {
      launch = start + 0.12
      formula = build + (k - 1) * link + launches * launch + units * (2 * launch + 2 * link)
      all = launches + 2 * units
      printf "| %s | %d | %d | %d | %d | %d | %d | %.1f | %.2f | %.3f |\n", name, judged, launches, suspects, units, links, s, formula,
        s / formula, (s - build - links * link) / (all > 0 ? all : 1) }'
}
row 'without effect' "$null"
row '10 % in one' "$guilty"

[ "$status" -lt 2 ] || [ "$status" = 3 ] || { tail -n 20 "$scratch/log"; exit 1; }
