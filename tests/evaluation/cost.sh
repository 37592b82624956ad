#!/usr/bin/env bash
# What Tandem costs: ./dev evaluate cost; TANDEM_BENCHMARKS="N …" for other numbers of benchmarks (50 200), TANDEM_FLAGS for
# further flags of the daemon, TANDEM_IDLE_SECONDS=N for another time of doing nothing (120). For each number the daemon
# walks a program of so many benchmarks: the first commit, one without effect and, up to a hundred benchmarks, one that
# gives a single benchmark 10 % more work. Beside the seconds of a commit stands
#   build + (k-1) links + benchmarks x launches x (start + 0.12 s) + suspects x units x (2 launches + 2 links)
# Then a daemon has nothing to do. What was measured goes to evaluation/journal/cost.tsv, and an interrupted run goes on
# behind it; the statistics and the page are tandem_evidence's.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
read -ra numbers <<<"${TANDEM_BENCHMARKS:-50 200}"
read -ra flags <<<"${TANDEM_FLAGS:-}"
layouts=8
idle_seconds=${TANDEM_IDLE_SECONDS:-120}
cmake --build "$build" --target tandem tandem_evidence relink_once tandem_linker >&2
needed sqlite3 >/dev/null
lld=$(needed ld.lld)
open_journal cost
top=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill "$daemon" || :; rm -rf "$top"' EXIT
scratch=$top
. "$here/synthetic/repository.bash"
. "$here/synthetic/time_of_children.bash"
export CCACHE_DISABLE=1

many_kernels() {  # many_kernels NUMBER GUILTY: the one of that number works 10 % longer
  awk -v n="$1" -v guilty="$2" 'BEGIN {
    print "#include <cstdint>\n"
    for (i = 1; i <= n; ++i) {
      steps = 1000 + 3000 * (i % 7) / 6
      if (i == guilty) steps *= 1.1
      printf "std::uint64_t kernel_%d(std::uint64_t value) {\n  for (int i = 0; i < %d; ++i) value = (value ^ value >> %d) * %d;\n", i, steps, 13 + i % 17, 2 * i + 1
      print "  return value;\n}" } }'
}

many_program() {  # many_program NUMBER: main.cpp
  awk -v n="$1" 'BEGIN {
    print "#include \"tandem.hpp\"\n"
    for (i = 1; i <= n; ++i) printf "std::uint64_t kernel_%d(std::uint64_t value);\n", i
    print "\ntemplate <class Kernel>\ntandem::Program::Body repeated(Kernel kernel) {\n  return [kernel](std::uint64_t iterations) {"
    print "    for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(kernel(tandem::seed()));\n  };\n}\n"
    print "int main(int argc, char** argv) {\n  tandem::Program program;"
    for (i = 1; i <= n; ++i) printf "  program.add(\"kernel/%d\", [] { return repeated(kernel_%d); });\n", i, i
    print "  return program.run(argc, argv);\n}" }'
}

begin_in() {  # begin_in NAME: another repository
  scratch=$top/$1
  repository=$scratch/repository
  frameworks=$scratch/frameworks
  mkdir "$scratch"
  start_repository many
}

times=20
relinks() { "$build/relink_once" relink "$scratch/links/kept" "$scratch/out" "$lld" "$times"; }
starts() { for ((i = 0; i < times; ++i)); do "$scratch/out/program" --list; done; }

database() { sqlite3 -separator ' ' "$state/tandem.db" "$1"; }
value() { database "SELECT coalesce(($1), 0)"; }
# All linkings are kept: those that screens draw from, and those that confirmations made, of either side.
kept_of() { awk -v commit="$1" 'NR > 1 && NF > 8 && (commit == "" || $3 == commit) { sum += $7 } END { print sum + 0 }' "$scratch/cache"; }

commit_row() {  # commit_row BENCHMARKS NAME COMMIT: a line of the table, and one for the journal
  local ended began judged launches suspects units links seconds formula
  ended=$(value "SELECT at FROM done WHERE commit_hash = '$3'")
  began=$(value "SELECT max(at) FROM done WHERE position < (SELECT position FROM done WHERE commit_hash = '$3')")
  judged=$(value "SELECT count(*) FROM verdict WHERE commit_hash = '$3' AND metric = 'time'")
  launches=$(value "SELECT sum(json_extract(verdict, '\$.launches')) FROM verdict WHERE commit_hash = '$3' AND metric = 'time'")
  suspects=$(value "SELECT count(*) FROM record WHERE json_extract(report, '\$.treatment.commit') = '$3'")
  units=$(value "SELECT sum(json_extract(report, '\$.confirmation.units')) FROM record WHERE json_extract(report, '\$.treatment.commit') = '$3'")
  links=$(kept_of "${3:0:12}")
  links=$(((links < layouts ? links : layouts) + 2 * units))  # both sides anew for every unit
  seconds=$((ended - began))
  formula=$(awk -v launches="$launches" -v units="$units" -v build="$build_seconds" -v link="$link_seconds" -v start="$start_seconds" \
    -v k="$layouts" 'BEGIN { launch = start + 0.12; print build + (k - 1) * link + launches * launch + units * (2 * launch + 2 * link) }')
  awk -v name="$2" -v judged="$judged" -v launches="$launches" -v suspects="$suspects" -v units="$units" -v links="$links" \
    -v s="$seconds" -v formula="$formula" -v build="$build_seconds" -v link="$link_seconds" 'BEGIN {
      all = launches + 2 * units
      printf "| %s | %d | %d | %d | %d | %d | %d | %.1f | %.2f | %.3f |\n", name, judged, launches, suspects, units, links, s, formula,
        s / formula, (s - build - links * link) / (all > 0 ? all : 1) }'
  fields commit "$1" "$2" "$judged" "$launches" "$suspects" "$units" "$links" "$seconds" "$formula" >>"$scratch/rows"
}

one_walk() {  # one_walk BENCHMARKS
  local null guilty='' commits=2 spent begin wall status=0 state build_seconds link_seconds start_seconds
  begin_in "walk$1"
  many_kernels "$1" 0 >"$repository/src/library.cpp"
  many_program "$1" >"$repository/src/main.cpp"
  commit 'Add the program'
  echo 'int nobody_calls_it(int value) { return value * value; }' >"$repository/src/more.cpp"
  commit 'Add a function that nobody calls'
  null=$id
  if [ "$1" -le 100 ]; then
    many_kernels "$1" "$((($1 + 1) / 2))" >"$repository/src/library.cpp"
    commit 'One kernel works 10 % longer'
    guilty=$id
    commits=3
  fi
  mkdir "$scratch/links" "$scratch/out"
  COMPILER_PATH=$build/libexec/tandem/linker TANDEM_LINK_DIR=$scratch/links TANDEM_LINK_LLD=$lld \
    CXXFLAGS='-ffunction-sections -fdata-sections' timed "$scratch/log" built many "$id" "$scratch/out/program"
  build_seconds=$seconds
  "$build/relink_once" keep "$scratch/links" "$scratch/out"
  timed "$scratch/log" relinks
  link_seconds=$(calculate "$seconds / $times")
  timed "$scratch/log" starts
  start_seconds=$(calculate "$seconds / $times")

  state=$scratch/state
  begin=$EPOCHREALTIME
  "$build/tandem" daemon --once --repo_dir "$repository" --branch main --framework many --frameworks_dir "$frameworks" \
    --state_dir "$state" --regression --same_host --layouts "$layouts" "${flags[@]}" >"$scratch/log" 2>&1 &
  daemon=$!
  read -r -a spent < <(time_of_children "$daemon")
  wait "$daemon" || status=$?
  daemon=
  wall=$(since "$begin" %.2f)
  [ "$status" -lt 2 ] || [ "$status" = 3 ] || { tail -n 20 "$scratch/log" >&2; exit 1; }

  "$build/tandem" report --all --state_dir "$state"
  "$build/tandem" cache list --state_dir "$state" >"$scratch/cache"
  printf 'build %.2f s, link %.3f s, start %.4f s; the whole walk %s s and %s links\n\n' \
    "$build_seconds" "$link_seconds" "$start_seconds" "$wall" "$(kept_of '')"
  printf '| commit | benchmarks | launches | suspects | units | links | s | by the formula, s | ratio | s per launch |\n|---|---|---|---|---|---|---|---|---|---|\n'
  commit_row "$1" 'without effect' "$null"
  [ -z "$guilty" ] || commit_row "$1" '10 % in one' "$guilty"
  fields walk "$1" "$layouts" "$commits" "$(kept_of '')" "$build_seconds" "$link_seconds" "$start_seconds" "$wall" "${spent[@]}" >>"$scratch/rows"
  cat "$scratch/rows" >>"$journal"
  rm -rf "$scratch"
  scratch=$top
}

used() {  # used PID: nanoseconds of its own threads, then hundredths of its children that have ended
  local file total=0 nanoseconds line words
  for file in /proc/"$1"/task/*/schedstat; do
    read -r nanoseconds _ <"$file"
    total=$((total + nanoseconds))
  done
  IFS= read -r line <"/proc/$1/stat"
  read -ra words <<<"${line##*) }"
  echo "$total $((words[13] + words[14]))"
}
kib() { awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/$3"; }

# One commit is all there is. Live A/A, which cannot be switched off, takes a twentieth of the time: one trial that is long
# because the margin is small, and then nothing until twenty times as long has passed.
one_idle() {
  local state screens before after begin seconds
  begin_in idle
  many_kernels 1 0 >"$repository/src/library.cpp"
  many_program 1 >"$repository/src/main.cpp"
  commit 'Add the program'
  state=$scratch/state
  "$build/tandem" daemon --repo_dir "$repository" --branch main --framework many --frameworks_dir "$frameworks" \
    --state_dir "$state" --regression --same_host --no_calibrate --margin 0.0005 >"$scratch/log" 2>&1 &
  daemon=$!
  for ((i = 0; i < 300; ++i)); do
    screens=$(sqlite3 "$state/tandem.db" 'SELECT count(*) FROM null_screen' 2>/dev/null || echo 0)
    [ "$screens" -lt 1 ] || break
    sleep 1
  done
  [ "$screens" -ge 1 ] || { tail -n 20 "$scratch/log" >&2; fail 'the daemon never came to rest'; }
  sleep 3
  screens=$(value 'SELECT count(*) FROM null_screen')
  begin=$EPOCHREALTIME
  read -ra before < <(used "$daemon")
  sleep "$idle_seconds"
  read -ra after < <(used "$daemon")
  seconds=$(since "$begin" %.2f)
  fields idle "$idle_seconds" "$seconds" "$((after[0] - before[0]))" "$((after[1] - before[1]))" "$(getconf CLK_TCK)" \
    "$(kib "$daemon" VmRSS status)" "$(kib "$daemon" VmHWM status)" "$(kib "$daemon" Pss smaps_rollup)" \
    "$(($(value 'SELECT count(*) FROM null_screen') - screens))" >>"$journal"
  kill "$daemon"
  wait "$daemon" || :
  daemon=
  scratch=$top
}

for number in "${numbers[@]}"; do
  if is_noted walk "$number"; then continue; fi
  say "$number benchmarks"
  one_walk "$number"
done
if ! is_noted idle "$idle_seconds"; then
  say "nothing to do, for $idle_seconds s"
  one_idle
fi
if ! grep -q $'^poll\t' evaluation/journal/history.tsv 2>/dev/null; then
  say 'a poll of a long history'
  bash "$here/history.sh" "$build"
fi
"$build/tandem_evidence" cost "$build" evaluation
