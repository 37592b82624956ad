#!/usr/bin/env bash
# How long the release preset takes to build: from nothing without ccache, and after a touch of one source.
# ./dev evaluate build_time. Builds a copy of the tree, so that neither sources nor build directories are changed.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
export CCACHE_DISABLE=1

touched=daemon/measure/screening.cpp
jobs=${TANDEM_JOBS:-$(nproc)}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar -c --exclude=./build --exclude=./evaluation --exclude=./.git . | tar -x -C "$copy"
cd "$copy"

cmake_timed() { timed log timeout 7200 cmake "$@"; }

printf '| build of the release preset, %s jobs, no ccache | seconds |\n|---|---|\n' "$jobs"
cmake_timed --preset release
printf '| configure | %.1f |\n' "$seconds"
cmake_timed --build --preset release -j "$jobs"
printf '| everything from nothing | %.1f |\n' "$seconds"
touch "$touched"
cmake_timed --build --preset release -j "$jobs" --target tandem
printf '| %s touched: the program tandem | %.1f |\n' "$touched" "$seconds"
touch "$touched"
cmake_timed --build --preset release -j "$jobs"
printf '| %s touched: everything, tests linked too | %.1f |\n' "$touched" "$seconds"
cmake_timed --build --preset release -j "$jobs"
printf '| nothing touched | %.1f |\n' "$seconds"
