#!/usr/bin/env bash
# Whether looking at a sandbox's limits makes measurements scatter: ./dev evaluate looks. Writes evaluation/looks.md.
set -euo pipefail
build=$(readlink -f "${1:?usage: looks.sh BUILD_DIRECTORY}")
cmake --build "$build" --target evaluation_looks tandem_evaluation_programs tandem_shim >&2
mkdir -p evaluation
timeout 3600 "$build/evaluation_looks" "$build" | tee evaluation/looks.md
