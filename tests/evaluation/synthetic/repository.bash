# For the evaluations that let the daemon walk a history of their own making; they source it after setting $scratch.
# Nothing of the caller's git reaches the commits.
while read -r variable; do unset "$variable"; done < <(git rev-parse --local-env-vars)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null TZ=UTC LC_ALL=C HOME=$scratch

repository=$scratch/repository
frameworks=$scratch/frameworks
clock=1772528400  # Tuesday, 3 March 2026, 09:00 UTC

start_repository() {  # start_repository FRAMEWORK: an empty one, and a build.sh for its trees
  git init --quiet --initial-branch=main "$repository"
  mkdir -p "$repository/src" "$frameworks/$1"
  # No alignment: where a loop begins is up to whoever moves functions, as in most projects.
  cat >"$frameworks/$1/build.sh" <<'SCRIPT'
#!/bin/sh
# build.sh REPO_DIR DST: every source is compiled by itself, each function into a section of its own.
set -eu
cd "$1"
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
for source in src/*.cpp; do
  # shellcheck disable=SC2086
  ${CXX:-c++} -std=c++17 ${CXXFLAGS:-} -O2 -ffunction-sections "-ffile-prefix-map=$PWD=." "-I$TANDEM_SDK_DIR" \
    -c "$source" -o "$objects/$(basename "$source" .cpp).o"
done
# shellcheck disable=SC2086
${CXX:-c++} "$objects"/*.o ${LDFLAGS:-} -o "$2"
SCRIPT
  chmod +x "$frameworks/$1/build.sh"
}

commit() {  # commit SUBJECT: everything in the tree, a day after the one before; sets `id`
  git -C "$repository" add --all
  GIT_AUTHOR_DATE="$clock +0000" GIT_COMMITTER_DATE="$clock +0000" \
    git -C "$repository" -c user.name=Ada -c user.email=ada@example.org commit --quiet --message "$1"
  clock=$((clock + 86400))
  id=$(git -C "$repository" rev-parse HEAD)
}

built() {  # built FRAMEWORK COMMIT DST: as the daemon builds it, but by hand
  rm -rf "$scratch/tree"
  mkdir "$scratch/tree"
  git -C "$repository" archive "$2" | tar -x -C "$scratch/tree"
  TANDEM_SDK_DIR=$PWD/runners/sdk "$frameworks/$1/build.sh" "$scratch/tree" "$3" >"$scratch/build.log" 2>&1 ||
    { cat "$scratch/build.log" >&2; exit 1; }
}

walk() {  # walk TANDEM FRAMEWORK STATE_DIR [FLAGS…]: sets `status` and `seconds`
  local tandem=$1 framework=$2 state=$3 begin=$EPOCHREALTIME
  shift 3
  status=0
  "$tandem" daemon --once --repo_dir "$repository" --branch main --framework "$framework" \
    --frameworks_dir "$frameworks" --state_dir "$state" --regression --same_host "$@" || status=$?
  seconds=$(since "$begin" %.1f)
}
