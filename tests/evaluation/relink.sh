#!/usr/bin/env bash
# What another layout costs beside the build that it saves: ./dev evaluate relink; TANDEM_FUNCTIONS=N for another size.
# Builds the example framework and a generated program through the capturing linker, then links each sixteen times.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
export CCACHE_DISABLE=1

functions=${TANDEM_FUNCTIONS:-2000}
seeds=16
top=$PWD
cmake --build "$build" --target relink_once tandem_linker >/dev/null
relink_once=$build/relink_once
lld=$(needed ld.lld)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

captured() {  # captured NAME COMMAND…: the command with the capturing linker before the others
  local name=$1
  shift
  mkdir "$work/$name/links"
  timeout 3600 env COMPILER_PATH="$build/libexec/tandem/linker" TANDEM_LINK_DIR="$work/$name/links" TANDEM_LINK_LLD="$lld" \
    TANDEM_SDK_DIR="$top/runners/sdk" CXXFLAGS='-O2 -ffunction-sections -fdata-sections' "$@"
}

row() {  # row NAME COMMAND…: builds into $work/NAME/out, relinks, prints one line
  local name=$1 built kept orders
  shift
  timed "$work/log" captured "$name" "$@"
  built=$seconds
  "$relink_once" keep "$work/$name/links" "$work/$name/out" >"$work/log" || { cat "$work/log" >&2; exit 1; }
  kept=$(du -s --apparent-size --block-size=1K "$work/$name/links" | cut -f1)
  timed "$work/log" "$relink_once" relink "$work/$name/links/kept" "$work/$name/out" "$lld" "$seeds"
  orders=$(sort -u "$work/log" | wc -l)
  awk -v name="$name" -v built="$built" -v all="$seconds" -v n="$seeds" -v kept="$kept" -v orders="$orders" 'BEGIN {
    printf "| %s | %.2f | %.3f | %.0f | %.1f | %d of %d | %d |\n", name, built, all / n, built / (all / n), n / all, orders, n, kept }'
  [ "$orders" = "$seeds" ] || fail "$name has only $orders orders"
}

generated() {  # one file of $functions functions, compiled and linked
  "${CXX:-c++}" -O2 -ffunction-sections "$work/generated.cpp" -o "$work/generated/out/program"
}
example() {
  "$top/specs/frameworks/example/build.sh" "$top/specs/frameworks/example/history/base" "$work/example/out/program"
}
export -f generated example
export functions work top

awk -v n="$functions" 'BEGIN {
  print "#include <cstdio>\n#include <map>\n#include <string>"
  for (i = 0; i < n; ++i) printf "__attribute__((noinline)) int f%d(std::map<int, std::string>& m, int x) { m[x] += \"%d\"; return x * %d + static_cast<int>(m.size()); }\n", i, i, i
  print "int main(int c, char**) { std::map<int, std::string> m; int s = c;"
  for (i = 0; i < n; ++i) printf "s += f%d(m, s);\n", i
  print "std::printf(\"%d\\n\", s); }" }' >"$work/generated.cpp"
mkdir -p "$work/generated/out" "$work/example/out"

printf '| program | build, s | relink, s | build / relink | links per second | orders | kept, KiB |\n|---|---|---|---|---|---|---|\n'
row example bash -euc example
row generated bash -euc generated
