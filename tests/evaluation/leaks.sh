#!/usr/bin/env bash
# Ten thousand launches leave no descriptor, process or file behind. ./dev evaluate leaks; TANDEM_LAUNCHES=N for fewer.
set -euo pipefail
export LC_ALL=C

build=${1:?usage: leaks.sh BUILD_DIRECTORY}
export TANDEM_LAUNCHES=${TANDEM_LAUNCHES:-10000}
output=$(mktemp)
trap 'rm -f "$output"' EXIT

begin=$EPOCHREALTIME
status=0
timeout 14400 "$build/runners_process_test" \
  --gtest_filter='*LeaksNoDescriptorProcessOrFileOverManyLaunches*' >"$output" 2>&1 || status=$?
seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f", b - a }')

# A filter that matches nothing ends with 0 as well.
if [ "$status" != 0 ] || ! grep -q '^\[  PASSED  \] 1 test' "$output"; then
  cat "$output" >&2
  printf '%s launches: failed (%s) after %s s\n' "$TANDEM_LAUNCHES" "$status" "$seconds"
  exit 1
fi
printf '%s launches: no descriptor, process or file left, %s s\n' "$TANDEM_LAUNCHES" "$seconds"
