#!/usr/bin/env bash
# A hundred thousand launches, a tenth of them failing, in every pairing of sliced programs in turn, leave no descriptor,
# process, file or memory behind. ./dev evaluate leaks; TANDEM_LAUNCHES=N for fewer.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
all=${TANDEM_LAUNCHES:-100000}
export TANDEM_LAUNCHES=$(((all + 2) / 3))
output=$(mktemp)
trap 'rm -f "$output"' EXIT

begin=$EPOCHREALTIME
status=0
timeout 14400 "$build/runners_process_test" \
  --gtest_filter='*LeaksNothingOverManyLaunches*' >"$output" 2>&1 || status=$?
seconds=$(since "$begin" %.0f)

# A filter that matches nothing ends with 0 as well.
if [ "$status" != 0 ] || ! grep -q '^\[  PASSED  \] 3 tests' "$output"; then
  cat "$output" >&2
  printf '%s launches: failed (%s) after %s s\n' "$all" "$status" "$seconds"
  exit 1
fi
printf '%s launches: no descriptor, process, file or memory left, %s s\n' "$all" "$seconds"
