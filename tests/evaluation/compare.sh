#!/usr/bin/env bash
# How often `tandem compare` is right, and how fast, beside hyperfine on the same executables for the same time.
# ./dev evaluate compare; the README of this folder says what is shown. Writes evaluation/compare.{md,tsv}.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
itself_runs=${TANDEM_RUNS:-50}
changed_runs=${TANDEM_RUNS:-30}
percents=(0 2 3 5)

[[ $itself_runs =~ ^[1-9][0-9]*$ ]] || fail "TANDEM_RUNS is '$itself_runs' and must be a whole number from 1"
timeout 900 cmake --build "$build" --target tandem_evaluation_programs >&2 || fail "the workloads were not built"
programs=$build/evaluation_programs
if [ -n "${TANDEM_WORKLOADS:-}" ]; then
  read -ra workloads <<<"$TANDEM_WORKLOADS"
else
  workloads=()
  for program in "$programs"/*_0; do workloads+=("$(basename "$program" _0)"); done
fi
for workload in "${workloads[@]}"; do
  [ -x "$programs/${workload}_0" ] || fail "there is no workload '$workload'"
done

mkdir -p evaluation
rows=$PWD/evaluation/compare.tsv table=$PWD/evaluation/compare.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
: >"$rows"

record() { fields "$@" >>"$rows"; }  # workload percent tool outcome ratio seconds runs

# What `tandem compare --json` says about its only benchmark: outcome, ratio, seconds from start to end.
read_verdict() {
  awk '
    function value(line) { sub(/^[^:]*: */, "", line); sub(/,? *$/, "", line); gsub(/"/, "", line); return line }
    /^ *"outcome":/ && outcome == "" { outcome = value($0) }
    /^ *"estimate":/ && ratio == "" { ratio = value($0) }
    /^  "seconds":/ { seconds = value($0) }
    END { print (outcome == "" ? "failed" : outcome), (ratio == "" ? "-" : ratio), (seconds == "" ? "-" : seconds) }
  ' "$1"
}

run_tandem() {  # run_tandem WORKLOAD PERCENT: sets `seconds`
  local status=0 outcome ratio
  timeout 600 "$build/tandem" compare --json --measure_identical "$programs/$1_0" "$programs/$1_$2" \
    >"$scratch/verdict.json" 2>"$scratch/messages" || status=$?
  read -r outcome ratio seconds < <(read_verdict "$scratch/verdict.json")
  if [[ $status != [013] || $outcome == failed ]]; then
    say "tandem compare ended with $status on $1 with $2 % more work: $(tail -n 1 "$scratch/messages")"
    failures=$((failures + 1)) outcome=failed ratio=- seconds=-
  fi
  record "$1" "$2" tandem "$outcome" "$ratio" "$seconds" 1
}

hyperfine_of() {  # hyperfine_of WORKLOAD PERCENT ITERATIONS RUNS
  time_processes "$programs/$1_0" "$programs/$1_$2" "$3" "$4" && return 0
  say "hyperfine failed on $1 with $2 % more work: $(tail -n 1 "$scratch/messages")"
  failures=$((failures + 1))
  return 1
}

run_hyperfine() {  # run_hyperfine WORKLOAD PERCENT ITERATIONS PROCESS_SECONDS SECONDS
  local runs begin=$EPOCHREALTIME
  runs=$(awk -v all="$5" -v one="$4" 'BEGIN { runs = int(all / (2 * one)) - 1; print (runs < 2 ? 2 : runs) }')
  hyperfine_of "$1" "$2" "$3" "$runs" || return 0
  record "$1" "$2" hyperfine - "$(ratio_of_means)" "$(since "$begin")" "$runs"
}

# The extra work is real when the instructions say so.
count_work() {  # count_work WORKLOAD
  local percent work first=
  command -v valgrind >/dev/null || return 0
  for percent in "${percents[@]}"; do
    work=$(work_of "$programs/$1_$percent")
    [ -n "$work" ] || return 0
    first=${first:-$work}
    record "$1" "$percent" valgrind - "$(awk -v a="$first" -v b="$work" 'BEGIN { print b / a }')" - 1
  done
}

measure() {  # measure WORKLOAD: in rounds, so that all rows and both tools meet the same moods of the machine
  local iterations process_seconds="" round percent seconds
  if command -v hyperfine >/dev/null; then
    iterations=$(iterations_for_hyperfine "$programs/$1_0")
    if hyperfine_of "$1" 0 "$iterations" 5; then process_seconds=$(process_seconds_of); fi
  fi
  for ((round = 1; round <= itself_runs || round <= changed_runs; ++round)); do
    say "$1, round $round"
    for percent in "${percents[@]}"; do
      if [ "$round" -gt "$([ "$percent" = 0 ] && echo "$itself_runs" || echo "$changed_runs")" ]; then continue; fi
      run_tandem "$1" "$percent"
      if [ -n "$process_seconds" ] && [ "$seconds" != - ]; then
        run_hyperfine "$1" "$percent" "$iterations" "$process_seconds" "$seconds"
      fi
    done
  done
}

for workload in "${workloads[@]}"; do
  count_work "$workload"
  measure "$workload"
  {
    host_line
    printf '\n\n'
    awk -f "$here/compare_table.awk" "$rows"
  } >"$table.new"
  mv "$table.new" "$table"  # after every workload, so that a run that is stopped leaves what it has
done
cat "$table"
[ "$failures" = 0 ] || fail "$failures measurements failed"
