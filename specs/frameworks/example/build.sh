#!/bin/sh
# build.sh REPO_DIR DST: builds the tree in REPO_DIR into the executable DST. Reads CXX, CXXFLAGS, LDFLAGS and
# TANDEM_SDK_DIR, the directory of tandem.hpp. The same sources give the same bytes wherever they lie.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: $0 REPO_DIR DST" >&2
  exit 2
fi
: "${TANDEM_SDK_DIR:?must name the directory of tandem.hpp}"
case $2 in
  /*) dst=$2 ;;
  *) dst=$PWD/$2 ;;
esac
cd "$1"

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

# Each function starts a cache line and each loop half a one, in a section of its own: what one commit adds to
# one operator must not shift the loops of another within their cache lines. No debug information, so that a
# comment changes nothing.
layout='-ffunction-sections -falign-functions=64 -falign-loops=32'

LC_ALL=C
export LC_ALL
for source in bench/main.cpp src/*.cpp; do
  # CXX and the flags hold several words.
  # shellcheck disable=SC2086
  ${CXX:-c++} -std=c++17 ${CXXFLAGS:--O2} $layout "-ffile-prefix-map=$PWD=." "-ffile-prefix-map=$TANDEM_SDK_DIR=sdk" \
    -Iinclude "-I$TANDEM_SDK_DIR" -c "$source" -o "$objects/$(basename "$source" .cpp).o"
done
# shellcheck disable=SC2086
${CXX:-c++} ${CXXFLAGS:--O2} "$objects"/*.o ${LDFLAGS:-} -o "$dst"
