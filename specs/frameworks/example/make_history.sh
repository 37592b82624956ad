#!/usr/bin/env bash
# make_history.sh DEST: writes the example library as a git repository into DEST, a directory that does not exist or is
# empty: branch main, one commit per line of history/commits, and the same commit ids every time.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 DEST" >&2; exit 2; }
history=$(cd "$(dirname "${BASH_SOURCE[0]}")/history" && pwd)
mkdir -p "$1"
cd "$1"
[ -z "$(ls -A)" ] || { echo "$0: $1 is not empty" >&2; exit 2; }

# Nothing of the caller's git may reach the commits: neither configuration nor repository, template or hook.
while read -r variable; do unset "$variable"; done < <(git rev-parse --local-env-vars)
unset GIT_TEMPLATE_DIR GIT_DEFAULT_HASH
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null TZ=UTC LC_ALL=C

git init --quiet --template= --object-format=sha1 --initial-branch=main
git config core.autocrlf false
git config core.fileMode false
git config commit.gpgSign false
git config gc.auto 0
cp -R "$history/base/." .

while IFS='|' read -r when who patch subject; do
  case $when in '' | '#'*) continue ;; esac
  read -r who <<<"$who"
  read -r patch <<<"$patch"
  read -r subject <<<"$subject"
  body=
  if [ "$patch" != - ]; then
    git apply --whitespace=nowarn "$history/$patch"
    body=$(sed '/^diff --git /,$d' "$history/$patch")
  fi
  mail=${who%% *}
  export GIT_AUTHOR_NAME=$who GIT_AUTHOR_EMAIL=${mail,,}@example.org GIT_AUTHOR_DATE="${when% }:00 +0000"
  export GIT_COMMITTER_NAME=$who GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
  git add --all
  git commit --quiet --no-verify --cleanup=whitespace --message "$subject" ${body:+--message "$body"}
done <"$history/commits"
