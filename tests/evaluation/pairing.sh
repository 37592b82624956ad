#!/usr/bin/env bash
# How far estimates of one ratio scatter, by pairing and beside other tools, at equal machine time; what is found of
# planted work; what pairing costs. ./dev evaluate pairing; the README of this folder says what is shown.
# Writes evaluation/pairing.{md,tsv}.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
seconds=${TANDEM_SECONDS:-2}   # of machine time, for one estimate
repeats=${TANDEM_REPEATS:-12}  # estimates of every method for every workload
read -ra workloads <<<"${TANDEM_WORKLOADS:-arithmetic stream bandwidth chase branches allocation openmp rare}"
repetitions=10   # of Google Benchmark, per side

[[ $seconds =~ ^[0-9]*\.?[0-9]+$ && $seconds != 0 ]] || fail "TANDEM_SECONDS is '$seconds' and must be a positive number"
[[ $repeats =~ ^[1-9][0-9]*$ ]] || fail "TANDEM_REPEATS is '$repeats' and must be a whole number from 1"
timeout 300 cmake "$build" >/dev/null  # looks again for what was installed since
timeout 1500 cmake --build "$build" --target tandem_pairing_programs tandem_evidence >&2 ||
  fail "the workloads were not built"
pairing=("$build/tandem_evidence" pairing)
programs=$build/pairing_programs
for workload in "${workloads[@]}"; do
  [ -x "$programs/${workload}_0" ] || fail "there is no workload '$workload'"
done
for tool in hyperfine valgrind; do
  command -v "$tool" >/dev/null || say "$tool is not installed; its column stays empty"
done
recoveries=$((repeats < 9 ? (repeats + 2) / 3 : 3))  # estimates of the planted work

mkdir -p evaluation
rows=$PWD/evaluation/pairing.tsv table=$PWD/evaluation/pairing.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/copies"
: >"$rows"

record() { fields "$@" >>"$rows"; }  # pairing/pairing.hpp tells the fields
record_failure() {  # record_failure WORKLOAD PERCENT METHOD WHY
  say "$3 failed on $1 with $2 % more work: $4"
  record "$1" "$2" "$3" failed - - - 0 "${4//$'\t'/ }"
}
last_words() { tail -n 1 "$scratch/messages"; }
# The event of `rare` costs twice as much with 2 % more work in all.
percent_of() { if [ "$1" = rare ]; then echo 2; else echo 5; fi; }

count_work() {  # count_work WORKLOAD
  local percent variant work counts=()
  command -v valgrind >/dev/null || return 0
  percent=$(percent_of "$1")
  for variant in 0 "$percent"; do
    work=$(work_of "$programs/$1_$variant")
    if [ -z "$work" ]; then record_failure "$1" "$percent" instructions "no count"; return 0; fi
    counts+=("$work")
  done
  record "$1" "$percent" instructions ok "$(calculate "log(${counts[1]} / ${counts[0]})")" - - 1 -
}

# `auto` is what the calibration chooses for this workload on this host: PAIRING:SLICE_US:LAUNCH_MS, or nothing.
choose_arrangement() {  # choose_arrangement WORKLOAD
  local budget
  budget=$(calculate "15 * $seconds < 30 ? 15 * $seconds : 30")
  # Its exit code says whether the host is fit; the choice stands in any case.
  { timeout 300 "$build/tandem" calibrate --json --state_dir "$scratch/state" --budget "$budget" "$programs/$1_0" \
    2>"$scratch/messages" || true; } | awk '
    function value(line) { sub(/^[^:]*: */, "", line); sub(/,? *$/, "", line); gsub(/"/, "", line); return line }
    /"chosen": *\{/ { inside = 1 }
    inside && /"pairing":/ { pairing = value($0) }
    inside && /"slice_ns":/ { slice_us = value($0) / 1e3 }
    inside && /"launch_ns":/ { launch_ms = value($0) / 1e6 }
    inside && /\}/ { exit }
    END { if (pairing != "" && slice_us >= 1 && launch_ms >= 1) printf "%s:%.0f:%.0f\n", pairing, slice_us, launch_ms }
  '
}

pair_up() {  # pair_up WORKLOAD PERCENT METHOD ARRANGEMENT SEED
  local line limit
  [ -z "${refused[$3]:-}" ] || return 0
  limit=$(calculate "int(60 + 10 * $seconds)")
  if line=$(timeout "$limit" "${pairing[@]}" estimate "$4" "$seconds" "$5" "$programs/$1_0" "$programs/$1_$2" "$scratch/copies" \
    2>"$scratch/messages"); then
    record "$1" "$2" "$3" "$line"
    case $line in
      refused*) refused[$3]=1 ;;
      failed*) say "$3 failed on $1 with $2 % more work: ${line##*$'\t'}" ;;
    esac
  else
    record_failure "$1" "$2" "$3" "$(last_words)"
  fi
}

run_hyperfine() {  # run_hyperfine WORKLOAD
  local begin=$EPOCHREALTIME runs
  [ -n "$process_seconds" ] || return 0
  runs=$(calculate "$seconds < 8 * $process_seconds ? 2 : int($seconds / (2 * $process_seconds)) - 1")
  if time_processes "$programs/$1_0" "$programs/$1_0" "$iterations" "$runs"; then
    record "$1" 0 hyperfine ok "$(calculate "log($(ratio_of_means))")" - "$(since "$begin")" "$runs" -
  else
    record_failure "$1" 0 hyperfine "$(last_words)"
  fi
}

repeat_google() {  # repeat_google WORKLOAD FILE: one nanosecond figure per repetition
  # It makes the repetitions up to 1.4 times as long as it is told, and finds their length in about the time of one.
  timeout 600 "$programs/$1_google" --benchmark_repetitions="$repetitions" --benchmark_format=csv \
    --benchmark_min_time="$(calculate "$seconds / (2 * ($repetitions + 1) * 1.4)")" 2>"$scratch/messages" |
    awk -F, -v name="\"$1/real_time\"" '$1 == name { print $3 }' >"$2"
  [ "$(wc -l <"$2")" = "$repetitions" ]
}

run_google() {  # run_google WORKLOAD
  local begin=$EPOCHREALTIME ratio p
  [ -x "$programs/$1_google" ] || return 0
  if repeat_google "$1" "$scratch/control" && repeat_google "$1" "$scratch/treatment" &&
    read -r ratio p < <("${pairing[@]}" differ "$scratch/control" "$scratch/treatment" 2>"$scratch/messages"); then
    record "$1" 0 google ok "$ratio" - "$(since "$begin")" "$repetitions" "$p"
  else
    record_failure "$1" 0 google "$(last_words)"
  fi
}

prepare_hyperfine() {  # prepare_hyperfine WORKLOAD: sets iterations and process_seconds, the latter empty if it cannot run
  process_seconds=
  command -v hyperfine >/dev/null || return 0
  iterations=$(iterations_for_hyperfine "$programs/$1_0") || iterations=
  if [ -z "$iterations" ]; then record_failure "$1" 0 hyperfine "the workload gives no time alone"; return 0; fi
  if time_processes "$programs/$1_0" "$programs/$1_0" "$iterations" 5; then
    process_seconds=$(process_seconds_of)
  else
    record_failure "$1" 0 hyperfine "$(last_words)"
  fi
}

# All methods of a round meet the same moods of the machine; no method always follows the same other one.
measure() {  # measure WORKLOAD
  local methods=(sequence process alternate duet auto hyperfine google) iterations process_seconds
  local usual chosen same round i method percent
  local -A refused=()
  percent=$(percent_of "$1")
  usual=$(timeout 60 "${pairing[@]}" usual "$programs/$1_0" "$scratch/copies" 2>"$scratch/messages") || usual=
  chosen=$(choose_arrangement "$1") || chosen=
  if [ -n "$chosen" ]; then
    record "$1" 0 choice ok - - - 0 "$chosen"
  else
    record_failure "$1" 0 choice "$(last_words)"
    chosen=$(awk '$1 == "alternate" { print $2 }' <<<"$usual")
  fi
  # Where the choice is what a pairing does anyway, its estimates count for both.
  same=$(awk -v chosen="$chosen" '$2 == chosen { print $1 }' <<<"$usual")
  prepare_hyperfine "$1"
  for ((round = 1; round <= repeats; ++round)); do
    say "$1 next to itself, round $round of $repeats"
    for ((i = 0; i < ${#methods[@]}; ++i)); do
      method=${methods[(i + round) % ${#methods[@]}]}
      case $method in
        hyperfine) run_hyperfine "$1" ;;
        google) run_google "$1" ;;
        auto) if [ -z "$same" ]; then pair_up "$1" 0 auto "$chosen" "$round"; fi ;;
        *) pair_up "$1" 0 "$method" "$method" "$round" ;;
      esac
    done
  done
  for ((round = 1; round <= recoveries; ++round)); do
    say "$1 with $percent % more work, round $round of $recoveries"
    for method in process alternate duet; do pair_up "$1" "$percent" "$method" "$method" "$round"; done
    if [ -z "$same" ]; then pair_up "$1" "$percent" auto "$chosen" "$round"; fi
  done
  if [ -n "$same" ]; then
    awk -F '\t' -v OFS='\t' -v workload="$1" -v same="$same" '$1 == workload && $3 == same && $4 == "ok" { $3 = "auto"; print }' \
      "$rows" >"$scratch/same"
    cat "$scratch/same" >>"$rows"
  fi
}

write_table() {  # after every workload, so that a run that is stopped leaves what it has
  {
    host_line
    printf ' One estimate: %s s, %s of each.\n\n' "$seconds" "$repeats"
    "${pairing[@]}" table "$rows"
  } >"$table.new" && mv "$table.new" "$table"
}

say "costs"
if ! timeout 300 "${pairing[@]}" costs "$programs/empty_0" "$programs/arithmetic_0" "$scratch/copies" >>"$rows" 2>"$scratch/messages"; then
  record_failure costs 0 costs "$(last_words)"
fi
for workload in "${workloads[@]}"; do
  say "$workload, counting its work and choosing how to measure it"
  count_work "$workload"
  measure "$workload"
  write_table || say "the table could not be written"
done
cat "$table"
failures=$(awk -F '\t' '$4 == "failed"' "$rows" | wc -l)
[ "$failures" = 0 ] || fail "$failures measurements failed"
