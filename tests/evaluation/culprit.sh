#!/usr/bin/env bash
# Which commit did it: ./dev evaluate culprit; TANDEM_RUNS=N for another number of real histories (12). Lines of 8, 16 and
# 32 commits of a little library, one of them with 3 or 5 % more real work, are given to `tandem bisect`; what it names
# goes to evaluation/journal/culprit.tsv, and an interrupted run goes on behind it. Simulated histories and the page are
# tandem_evidence's.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
tandem=$build/tandem
runs=${TANDEM_RUNS:-12}
cmake --build "$build" --target tandem tandem_evidence >&2
open_journal culprit
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
scratch=$top
. "$here/synthetic/repository.bash"
. "$here/synthetic/grain.bash"

note() { fields "$@" >>"$journal"; }

# A line of commits of the little library in which one, at a random place, does more work and the others only look as if.
# The same number gives the same line.

write_sources() {  # write_sources: the tree as $order, $cuts, $dead, $renamed, $remark and $work say
  local names=() name place=0 file files=(first second third) src=$repository/src
  rm -f "$src"/*.cpp "$src"/*.hpp
  header >"$src/grain.hpp"
  program >"$src/main.cpp"
  for name in "${order[@]}"; do
    case $name in
      polynomial) [ "$work" -lt 3 ] || [ "$percent" != 3 ] || name=polynomial+3 ;;
      checksum) [ "$work" -ge 3 ] && [ "$percent" = 5 ] || name=checksum-5 ;;
    esac
    names+=("$name")
  done
  [ "$dead" = 0 ] || names=("${names[@]:0:$cuts}" dead "${names[@]:$cuts}")
  for file in "${files[@]}"; do
    source_file "$src/$file.cpp" "${names[@]:$place:3}"
    place=$((place + 3))
  done
  [ "$renamed" = 0 ] || sed -i 's/\bpolynomial_sum\b/sum_of_polynomial/g; s/\bstate\b/mixture/g; s/\bwords\b/input/g' "$src"/*.cpp
  sed -i "1i // Part of the little kernels, remark $remark." "$src"/*.hpp
}

shuffle() {  # shuffle: puts $order into another order
  local i j name
  for ((i = ${#order[@]} - 1; i > 0; --i)); do
    j=$((RANDOM % (i + 1)))
    name=${order[i]}
    order[i]=${order[j]}
    order[j]=$name
  done
  cuts=$((RANDOM % 4))
}

# make_line NUMBER COMMITS PERCENT BROKEN: a good commit and COMMITS after it, the guilty one with 3 or 5 % more work in
# polynomial or checksum; with BROKEN=1 one of the others does not build. Sets `ids` (the good one first), `culprit` and
# `broken_at` (places in it, 0: none) and `benchmark`.
make_line() {
  local commits=$2 broken=$4 at subject
  percent=$3
  RANDOM=$((7919 * $1 % 32749))
  order=(scramble polynomial checksum histogram prefix_sums sort_blocks lookup)
  cuts=0 dead=0 renamed=0 remark=0 work=0 broken_at=0
  culprit=$((1 + RANDOM % commits))
  [ "$broken" = 0 ] || broken_at=$((1 + (culprit + RANDOM % (commits - 1)) % commits))
  # Neither the guilty one, which would be found among others, nor the last, which the search begins with.
  [ "$broken_at" != "$commits" ] || broken_at=$((culprit == 1 ? 2 : 1))
  [ "$percent" = 3 ] && benchmark=polynomial || benchmark=checksum
  echo 'Little kernels.' >"$repository/README.md"
  write_sources
  commit 'Add the library'
  ids=("$id")
  for ((at = 1; at <= commits; ++at)); do
    if [ "$at" = "$culprit" ]; then
      work=3
      subject="$benchmark: Look at the beginning twice"
    else
      case $((RANDOM % 5)) in
        0) shuffle; subject='Move functions to other places and files' ;;
        1) dead=$((1 - dead)); subject='Change what nobody calls' ;;
        2) renamed=$((1 - renamed)); subject='Rename functions and variables' ;;
        3) remark=$at; subject='Say it in other words' ;;
        4) echo "Note $at." >>"$repository/README.md"; subject='Say more in the README' ;;
      esac
    fi
    write_sources
    [ "$at" != "$broken_at" ] || echo 'this does not compile;' >>"$repository/src/first.cpp"
    commit "$subject"
    ids+=("$id")
  done
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
    before=$(instructions_of "${ids[0]}" "$benchmark") after=$(instructions_of "${ids[-1]}" "$benchmark")
    if [ "$before" -gt 0 ] && [ "$after" -gt 0 ]; then
      note planted "$percent" "$(awk -v a="$before" -v b="$after" 'BEGIN { print 100 * (b / a - 1) }')"
    fi
  fi
  begin=$EPOCHREALTIME
  answer=$("$tandem" bisect "${ids[0]}" "${ids[-1]}" --benchmark "$benchmark" --repo_dir "$repository" --branch main \
    --framework grain --frameworks_dir "$frameworks" --state_dir "$scratch/state" --same_host 2>"$scratch/log") || status=$?
  seconds=$(since "$begin" %.1f)
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
  say "history $number of $runs"
  one_history "$number"
done
"$build/tandem_evidence" culprit "$build" evaluation
exit "$failed"
