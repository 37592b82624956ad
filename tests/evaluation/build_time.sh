#!/usr/bin/env bash
# How long the release preset takes to build: from nothing without ccache, and after a touch of one source.
# ./dev evaluate build_time. Builds a copy of the tree, so that neither sources nor build directories are changed.
set -euo pipefail
export LC_ALL=C CCACHE_DISABLE=1

touched=daemon/walk/screening.cpp
jobs=${TANDEM_JOBS:-$(nproc)}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar -c --exclude=./build --exclude=./evaluation --exclude=./.git . | tar -x -C "$copy"
cd "$copy"

timed() {  # timed COMMAND…: sets `seconds`
  local begin=$EPOCHREALTIME
  timeout 7200 "$@" >log 2>&1 || { tail -n 40 log >&2; printf 'build_time: failed: %s\n' "$*" >&2; exit 1; }
  seconds=$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
}

printf '| build of the release preset, %s jobs, no ccache | seconds |\n|---|---|\n' "$jobs"
timed cmake --preset release
printf '| configure | %s |\n' "$seconds"
timed cmake --build --preset release -j "$jobs"
printf '| everything from nothing | %s |\n' "$seconds"
touch "$touched"
timed cmake --build --preset release -j "$jobs" --target tandem
printf '| %s touched: the program tandem | %s |\n' "$touched" "$seconds"
touch "$touched"
timed cmake --build --preset release -j "$jobs"
printf '| %s touched: everything, tests linked too | %s |\n' "$touched" "$seconds"
timed cmake --build --preset release -j "$jobs"
printf '| nothing touched | %s |\n' "$seconds"
