#!/usr/bin/env bash
# One source in other layouts, next to each other: every record is a false one. ./dev evaluate layouts; goes on where it
# was interrupted, TANDEM_MINUTES=N ends after N minutes. The workloads are compiled without alignment, with the inputs of
# their links kept, so that linking them in another order is one call of lld.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
lld=$(needed ld.lld)
timeout 1500 cmake --build "$build" --target tandem_evidence relink_once tandem_linker >&2

# One workload also comes with its functions and loops aligned, to show what that changes.
for workload in allocation arithmetic branches chase gemm hash sort stream stream_aligned; do
  alignment=(-fno-align-functions -fno-align-loops)
  if [[ $workload == *_aligned ]]; then alignment=(-falign-functions=64 -falign-loops=32); fi
  name=${workload%_aligned}
  source=tests/evaluation/workloads/$name.cpp
  [ -e "$source" ] || source=tests/evaluation/workloads/workloads.cpp
  home=$PWD/evaluation/layouts/$workload
  [ ! -e "$home/links/kept" ] || continue
  rm -rf "$home"
  mkdir -p "$home/out" "$home/links"
  ln -s "$lld" "$home/ld.lld"
  timeout 300 env COMPILER_PATH="$build/libexec/tandem/linker" TANDEM_LINK_DIR="$home/links" TANDEM_LINK_LLD="$lld" CCACHE_DISABLE=1 \
    "${CXX:-c++}" -std=c++20 -O2 "${alignment[@]}" -ffunction-sections -fdata-sections -DEXTRA_PERMILLE=0 -DWORKLOAD="$name" \
    -I runners/sdk -I tests -isystem /usr/include/eigen3 "$source" tests/evaluation/workloads/{extra_permille,main}.cpp \
    -o "$home/out/program"
  "$build/relink_once" keep "$home/links" "$home/out" >&2
done
exec "$build/tandem_evidence" layouts "$build" evaluation ${TANDEM_MINUTES:+--minutes "$TANDEM_MINUTES"}
