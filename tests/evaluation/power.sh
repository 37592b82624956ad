#!/usr/bin/env bash
# Real extra work of 0.5 to 5 %: what of it is found, in how many launches and seconds. ./dev evaluate power; goes on where
# it was interrupted, TANDEM_MINUTES=N ends after N minutes. The README of this folder says what is shown.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
timeout 1500 cmake --build "$build" --target tandem_evidence tandem_evaluation_programs >&2
programs=$build/evaluation_programs

# The extra work is real when the instructions say so: workload, per cent meant, per cent counted.
open_journal instructions
for program in "$programs"/*_0; do
  workload=$(basename "$program" _0) first=
  for percent in 0.5 1 2 3 5; do
    if is_noted "$workload" "$percent" || ! command -v valgrind >/dev/null; then continue; fi
    say "counting the work of $workload with $percent %"
    first=${first:-$(work_of "$program")}
    work=$(work_of "$programs/${workload}_$percent")
    if [ -z "$first" ] || [ -z "$work" ]; then continue; fi
    awk -v w="$workload" -v p="$percent" -v a="$first" -v b="$work" 'BEGIN { printf "%s\t%s\t%+.2f %%\n", w, p, 100 * (b / a - 1) }' >>"$journal"
  done
done
exec "$build/tandem_evidence" power "$build" evaluation ${TANDEM_MINUTES:+--minutes "$TANDEM_MINUTES"}
