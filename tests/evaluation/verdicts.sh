#!/usr/bin/env bash
# Whether the daemon tells a change from a move: ./dev evaluate verdicts; TANDEM_RUNS=N for more than one walk,
# TANDEM_FLAGS for further flags of the daemon. A library of seven benchmarks, not aligned, goes through ten commits:
# functions move to other places and files, dead code comes before them, names and comments change, a benchmark is added.
# One commit gives one benchmark 3 % more work, another takes 5 % off another. Nothing else may be recorded.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
tandem=$build/tandem
runs=${TANDEM_RUNS:-1}
read -ra flags <<<"${TANDEM_FLAGS:-}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$here/synthetic/repository.bash"
. "$here/synthetic/grain.bash"

start_repository grain
src=$repository/src
everywhere() { sed -i "$@" "$src"/*.cpp "$src"/*.hpp; }
# Once given, the new names stay.
rename() { everywhere 's/\bpolynomial_sum\b/sum_of_polynomial/g; s/\bprefix_sums(/running_totals(/g; s/\bstate\b/mixture/g; s/\bwords\b/input/g'; }

header >"$src/grain.hpp"
program >"$src/main.cpp"
echo 'Little kernels.' >"$repository/README.md"
source_file "$src/numbers.cpp" scramble polynomial checksum
source_file "$src/arrays.cpp" histogram prefix_sums
source_file "$src/order.cpp" sort_blocks lookup
commit 'Add the library'

source_file "$src/numbers.cpp" checksum scramble
source_file "$src/arrays.cpp" prefix_sums polynomial histogram
source_file "$src/order.cpp" lookup sort_blocks
commit 'Move functions to other places and files'

source_file "$src/arrays.cpp" dead prefix_sums polynomial histogram
commit 'Add forty functions that nobody calls'

rename
git -C "$repository" mv src/order.cpp src/arrangement.cpp
commit 'Rename functions, variables and a file'

everywhere '1i // Part of the little kernels. Says nothing new.'
commit 'Say in every file whose it is'

source_file "$src/square.cpp" transpose
program transpose >"$src/main.cpp"
rename
commit 'Add a benchmark: transpose'
before=$id

source_file "$src/arrays.cpp" dead prefix_sums polynomial+3 histogram
rename
commit 'polynomial: Look at the beginning twice'
guilty=$id

source_file "$src/arrays.cpp" histogram dead prefix_sums
source_file "$src/square.cpp" polynomial+3 transpose
rename
commit 'Move functions once more'

source_file "$src/numbers.cpp" checksum-5 scramble
rename
commit 'checksum: Take every word once'
better=$id

echo 'Little kernels, and how to call them.' >"$repository/README.md"
commit 'Say more in the README'

# What was planted, in instructions that are really executed.
if command -v valgrind >/dev/null; then
  awk -v a="$(instructions_of "$before" polynomial)" -v b="$(instructions_of "$guilty" polynomial)" \
    -v c="$(instructions_of "$guilty" checksum)" -v d="$(instructions_of "$better" checksum)" \
    'BEGIN { printf "planted, by valgrind: polynomial %+.2f %% instructions, checksum %+.2f %%\n", 100 * (b / a - 1), 100 * (d / c - 1) }'
else
  echo 'planted: not counted, valgrind is not installed'
fi
git -C "$repository" log --reverse --format='%h %s' main

wrong=0
complain() { printf 'WRONG: %s\n' "$*"; wrong=1; }
number_of() { grep -c "$1" "$scratch/records" || true; }

examine() {  # examine STATE_DIR: prints what was found and says what should have been
  "$tandem" report --all --state_dir "$1" >"$scratch/records"
  cat "$scratch/records"
  if command -v sqlite3 >/dev/null; then
    echo 'outcomes of the screens:'
    sqlite3 -separator '  ' "$1/tandem.db" "SELECT substr(commit_hash, 1, 7), substr(control, 1, 7), benchmark, outcome,
      printf('%.4f', json_extract(verdict, '\$.ratio.estimate')), json_extract(verdict, '\$.launches') || ' launches', note
      FROM verdict WHERE metric = 'time' ORDER BY position"
  fi
  local slower faster
  # A record that is only noted has its kind where the others have their state.
  slower=$(grep ' slower ' "$scratch/records" | grep -Ecv '  (layout|not reproduced|postponed)  ' || true)
  faster=$(grep ' faster ' "$scratch/records" | grep -Ecv '  (layout|not reproduced|postponed)  ' || true)
  printf 'regressions %s, improvements %s, layout %s, not reproduced %s; %s s\n' "$slower" "$faster" \
    "$(number_of '  layout  ')" "$(number_of '  not reproduced  ')" "$seconds"
  [ "$slower" = 1 ] || complain "there are $slower regressions in place of one"
  [ "$(number_of " slower .*polynomial.* ${guilty:0:8} ")" = 1 ] || complain "none names polynomial and ${guilty:0:8}"
  [ "$(number_of " improvement .* faster .*checksum.* ${better:0:8} ")" = 1 ] ||
    complain "no improvement names checksum and ${better:0:8}"
  [ "$faster" = 1 ] || complain "there are $faster improvements in place of one"
  [ "$status" = 1 ] || complain "the daemon ended with $status in place of 1, an open regression"
}

for ((run = 1; run <= runs; ++run)); do
  printf '\nwalk %s of %s\n' "$run" "$runs"
  walk "$tandem" grain "$scratch/state$run" "${flags[@]}" >"$scratch/log" 2>&1
  [ "$status" -lt 2 ] || [ "$status" = 3 ] || tail -n 20 "$scratch/log"
  examine "$scratch/state$run"
done
exit "$wrong"
