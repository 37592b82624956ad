#!/usr/bin/env bash
# Which commit did it: ./dev evaluate culprit; TANDEM_RUNS=N for another number of real histories (12). Lines of 8, 16 and
# 32 commits of a little library, one of them with 3 or 5 % more real work, are given to `tandem bisect`; what it names
# goes to evaluation/journal/culprit.tsv, and an interrupted run goes on behind it. Simulated histories and the page are
# tandem_evidence's.
set -euo pipefail

build=$(readlink -f "${1:?usage: culprit.sh BUILD_DIRECTORY}")
tandem=$build/tandem
runs=${TANDEM_RUNS:-12}
cmake --build "$build" --target tandem tandem_evidence >&2
out=$PWD/evaluation
journal=$out/journal/culprit.tsv
mkdir -p "$out/journal"
touch "$journal"
[ -z "$(tail -c 1 "$journal")" ] || sed -i '$d' "$journal"  # a line that was cut off
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$top
. "$here/synthetic/repository.bash"
. "$here/synthetic/grain.bash"
. "$here/synthetic/line.bash"

note() { local IFS=$'\t'; printf '%s\n' "$*" >>"$journal"; }
is_noted() { grep -q "^$1"$'\t'"$2"$'\t' "$journal"; }  # is_noted KIND KEY

counted() {  # counted COMMIT: instructions of a hundred iterations of $benchmark
  local iterations sums=()
  built grain "$1" "$scratch/program"
  for iterations in 0 100; do
    sums+=("$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$scratch/program" --count "$benchmark" "$iterations" 2>&1 |
      sed -n 's/.*Collected : *\([0-9]*\).*/\1/p')")
  done
  echo $((sums[1] - sums[0]))
}

place_of() {  # place_of COMMIT: where in the line; the beginning of its name is enough
  local place
  for place in "${!ids[@]}"; do
    if [[ ${ids[place]} == "$1"* ]]; then echo "$place"; return; fi
  done
  echo 0
}

one_history() {  # one_history NUMBER
  local before after sizes=(8 16 32) percents=(3 3 3 5 5 5) commits percent broken answer begin seconds status=0 named others other
  commits=${sizes[$(($1 % 3))]}
  percent=${percents[$(($1 % 6))]}
  broken=$(($1 / 2 % 2))
  scratch=$top/$1
  repository=$scratch/repository
  frameworks=$scratch/frameworks
  mkdir "$scratch"
  start_repository grain
  make_line "$1" "$commits" "$percent" "$broken"
  if command -v valgrind >/dev/null && ! is_noted planted "$percent"; then
    before=$(counted "${ids[0]}") after=$(counted "${ids[-1]}")
    if [ "$before" -gt 0 ] && [ "$after" -gt 0 ]; then
      note planted "$percent" "$(awk -v a="$before" -v b="$after" 'BEGIN { print 100 * (b / a - 1) }')"
    fi
  fi
  begin=$EPOCHREALTIME
  answer=$("$tandem" bisect "${ids[0]}" "${ids[-1]}" --benchmark "$benchmark" --repo_dir "$repository" --branch main \
    --framework grain --frameworks_dir "$frameworks" --state_dir "$scratch/state" --same_host 2>"$scratch/log") || status=$?
  seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  if [ "$status" -ge 2 ] && [ "$status" != 3 ]; then  # something outside: the next run tries it again
    tail -n 5 "$scratch/log" >&2
    failed=1
    return
  fi
  # "… since COMMIT "subject" (probability P, M measurements among N commits) or COMMIT"; the first line is the first step.
  answer=${answer%%$'\n'*}
  named=$(sed -n 's/.* since \([0-9a-f]\{40\}\) .*/\1/p' <<<"$answer")
  others=
  for other in $(grep -o ' or [0-9a-f]\{8,\}' <<<"$answer" | cut -c5-); do others+=${others:+,}$(place_of "$other"); done
  note history "$1" "$commits" "$percent" "$benchmark" "$culprit" "$broken_at" "$([ -z "$named" ] && echo 0 || place_of "$named")" \
    "${others:--}" "$(sed -n 's/.*(probability \([0-9.]*\) %.*/\1/p' <<<"$answer")" \
    "$(sed -n 's/.*[ (]\([0-9]*\) measurements among.*/\1/p' <<<"$answer")" "$seconds" "$status" "${answer//$'\t'/ }"
  rm -rf "$scratch"
  scratch=$top
}

failed=0
for ((number = 1; number <= runs; ++number)); do
  if is_noted history "$number"; then continue; fi
  printf 'culprit: history %s of %s\n' "$number" "$runs" >&2
  one_history "$number"
done
"$build/tandem_evidence" culprit "$build" "$out"
exit "$failed"
