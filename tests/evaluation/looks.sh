#!/usr/bin/env bash
# Whether looking at a sandbox's limits makes measurements scatter: ./dev evaluate looks. Writes evaluation/looks.md.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
cmake --build "$build" --target tandem_evidence tandem_evaluation_programs tandem_shim >&2
mkdir -p evaluation
timeout 3600 "$build/tandem_evidence" looks "$build" | tee evaluation/looks.md
