#!/bin/sh
# build.sh REPO_DIR DST: compiles sources of the user's own against the headers of a commit, without CMake. What to
# build stands in the "build" object of the benchmark file and comes as TANDEM_BUILD_…; ../README.md has the table.
set -eu

say() { echo "generic-headers: $*" >&2; exit 2; }

[ $# -eq 2 ] || say "usage: $0 REPO_DIR DST"
tree=$(cd "$1" && pwd)
case $2 in
  /*) dst=$2 ;;
  *) dst=$PWD/$2 ;;
esac
[ -n "${TANDEM_BUILD_SOURCES:-}" ] || say 'nothing to build: give "build" some "sources" in the benchmark file'
if [ -n "${TANDEM_WORK_DIR:-}" ]; then
  work=$TANDEM_WORK_DIR
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

set -- "-std=c++${TANDEM_BUILD_STANDARD:-17}"
while IFS= read -r directory; do
  [ -d "$tree/$directory" ] || say "this commit has no directory \"$directory\""
  set -- "$@" "-I$tree/$directory"
done <<END
${TANDEM_BUILD_INCLUDE:-.}
END
[ -z "${TANDEM_SDK_DIR:-}" ] || set -- "$@" "-I$TANDEM_SDK_DIR"
while IFS= read -r option; do
  [ -z "$option" ] || set -- "$@" "$option"
done <<END
${TANDEM_BUILD_OPTIONS:-}
END

# Objects are numbered, so that two sources of one name do not meet. A header among the sources is only there to be
# found by the others.
number=0
while IFS= read -r source; do
  case $source in
    *.cpp | *.cc | *.cxx | *.C | *.c++) ;;
    *) continue ;;
  esac
  number=$((number + 1))
  # The flags hold several words.
  # shellcheck disable=SC2086
  c++ ${CXXFLAGS:--O2} "$@" -c "$source" -o "$work/$(printf %03d "$number").o"
done <<END
$TANDEM_BUILD_SOURCES
END
[ "$number" -gt 0 ] || say "none of the sources is C++ by its name"

set --
while IFS= read -r library; do
  case $library in
    '') ;;
    -*) set -- "$@" "$library" ;;
    *) set -- "$@" "-l$library" ;;
  esac
done <<END
${TANDEM_BUILD_LIBRARIES:-}
END
# shellcheck disable=SC2086
c++ ${CXXFLAGS:--O2} "$work"/*.o ${LDFLAGS:-} -pthread "$@" -o "$dst"
