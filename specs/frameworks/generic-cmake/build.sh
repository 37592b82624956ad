#!/bin/sh
# build.sh REPO_DIR DST: builds a project that has a CMakeLists.txt. What to build stands in the "build" object of the
# benchmark file and comes as TANDEM_BUILD_…; ../README.md has the table.
#   target alone         that program of the project becomes DST
#   sources              they are compiled into DST and linked to the libraries, and to the target if there is one
set -eu

say() { echo "generic-cmake: $*" >&2; exit 2; }

[ $# -eq 2 ] || say "usage: $0 REPO_DIR DST"
tree=$(cd "$1" && pwd)
case $2 in
  /*) dst=$2 ;;
  *) dst=$PWD/$2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
target=${TANDEM_BUILD_TARGET:-}
sources=${TANDEM_BUILD_SOURCES:-}
[ -n "$target$sources" ] || say 'nothing to build: give "build" a "target" or "sources" in the benchmark file'
[ -f "$tree/CMakeLists.txt" ] || say "this commit has no CMakeLists.txt"

if [ -n "${TANDEM_WORK_DIR:-}" ]; then
  work=$TANDEM_WORK_DIR
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

# With sources the project becomes part of a small one that lies outside its tree; a target alone is built as its
# authors build it. Either way include.cmake asks for the place of the program.
if [ -n "$sources" ]; then
  mkdir "$work/benchmark"
  cp "$here/with_sources.cmake" "$work/benchmark/CMakeLists.txt"
  project=$work/benchmark
  made=tandem_benchmark
else
  project=$tree
  made=$target
fi
if command -v ninja >/dev/null; then generator=Ninja; else generator='Unix Makefiles'; fi

# Libraries go into the program; what a project insists on sharing is found beside it.
set -- -S "$project" -B "$work/build" -G "$generator" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON "-DCMAKE_INSTALL_RPATH=\$ORIGIN" -DCMAKE_EXPORT_NO_PACKAGE_REGISTRY=ON \
  "-DCMAKE_PROJECT_INCLUDE=$here/include.cmake" "-DTANDEM_MADE=$made" "-DTANDEM_PLACE=$work/place" \
  "-DTANDEM_TREE=$tree"
# One option a line, each one word whatever stands in it.
while IFS= read -r option; do
  [ -z "$option" ] || set -- "$@" "$option"
done <<END
${TANDEM_BUILD_OPTIONS:-}
END
cmake "$@"
cmake --build "$work/build" --target "$made" --parallel "${TANDEM_JOBS:-1}"

cp "$(cat "$work/place")" "$dst"
find "$work/build" -name '*.so' -o -name '*.so.*' | while IFS= read -r library; do
  cp -P "$library" "$(dirname "$dst")/"
done
