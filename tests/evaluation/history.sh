#!/usr/bin/env bash
# What a poll and a walk cost on a long history, beside git itself on the same repository. ./dev evaluate history;
# TANDEM_COMMITS=N for another length (100000), TANDEM_RUNS=N for another number of rounds (5).
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/shared.bash"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null

commits=${TANDEM_COMMITS:-100000}
runs=${TANDEM_RUNS:-5}
cmake --build "$build" --target evaluation_history >/dev/null
program=$build/evaluation_history

scratch=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill "$daemon" || :; rm -rf "$scratch"' EXIT
upstream=$scratch/upstream.git
mirror=$scratch/mirror
clone=$scratch/clone.git
export HOME=$scratch

# Ten minutes apart, with names and subjects of ordinary length; every hundredth is a merge of a side branch.
git init --quiet --bare --initial-branch=main "$upstream"
awk -v n="$commits" 'BEGIN {
  for (i = 1; i <= n; ++i) {
    at = 1200000000 + i * 600
    merge = i > 2 && i % 100 == 0
    if (merge) {
      message = "Side change before " i
      printf "commit refs/heads/side\nmark :%d\nauthor Ada Lovelace <ada@example.org> %d +0200\n", n + i, at - 300
      printf "committer Ada Lovelace <ada@example.org> %d +0200\ndata %d\n%s\n", at - 300, length(message), message
      printf "from :%d\nM 644 inline side.txt\ndata %d\n%s\n\n", i - 1, length(i ""), i
    }
    message = "Change number " i " of the kernel for small matrices\n\nThe body says why, at some length, and nobody here reads it.\n"
    printf "commit refs/heads/main\nmark :%d\nauthor Charles Babbage <charles@example.org> %d -0800\n", i, at - 60
    printf "committer Ada Lovelace <ada@example.org> %d +0000\ndata %d\n%s\n", at, length(message), message
    if (i > 1) printf "from :%d\n", i - 1
    if (merge) printf "merge :%d\n", n + i
    printf "M 644 inline file%d.txt\ndata %d\n%s\n\n", i % 20, length(i ""), i
  }
}' | git -C "$upstream" fast-import --quiet
git -C "$upstream" branch --quiet -D side
root=$(git -C "$upstream" rev-list --first-parent main | tail -n 1)

port=$((20000 + RANDOM % 20000))
git daemon --reuseaddr --export-all --listen=127.0.0.1 --port="$port" --base-path="$scratch" "$scratch" &
daemon=$!
git_url=git://127.0.0.1:$port/upstream.git
until git ls-remote --quiet "$git_url" main >/dev/null 2>&1; do
  kill -0 "$daemon" 2>/dev/null || fail 'git daemon does not run'
  sleep 0.1
done

"$program" poll "$mirror" "$git_url" main >/dev/null
git clone --quiet --bare --no-local "$git_url" "$clone"

noted() {  # noted FILE COMMAND…: appends the seconds it took
  timed "$scratch/output" "${@:2}"
  echo "$seconds" >>"$scratch/$1"
}

for ((run = 0; run < runs; ++run)); do
  "$program" poll "$mirror" "$git_url" main >>"$scratch/poll_git"
  noted fetch_git git -C "$clone" fetch --quiet origin +refs/heads/main:refs/heads/main
  "$program" poll "$mirror" "file://$upstream" main >>"$scratch/poll_file"
  noted fetch_file git -C "$clone" fetch --quiet "file://$upstream" +refs/heads/main:refs/heads/main
  noted ids "$program" ids "$mirror" main "$root"
  noted rev_list git -C "$clone" rev-list --first-parent --count main
  noted walk "$program" walk "$mirror" main
  noted log git -C "$clone" log --first-parent --format='%H %P %T %ct %an %s' main
done

median() { sort -g "$scratch/$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
row() { # row TITLE OURS OTHER THEIRS
  awk -v title="$1" -v a="$(median "$2")" -v other="$3" -v b="$(median "$4")" \
    'BEGIN { printf "| %s | %.1f ms | %s | %.1f ms | %.2f |\n", title, a * 1e3, other, b * 1e3, a / b }'
}
printf '%s commits, median of %s\n\n| Tandem | | git | | ratio |\n|---|---|---|---|---|\n' "$commits" "$runs"
row 'poll, nothing new, git://' poll_git '`git fetch`' fetch_git
row 'poll, nothing new, file://' poll_file '`git fetch`' fetch_file
row 'first-parent steps' ids '`git rev-list --first-parent`' rev_list
row 'first-parent walk with records and controls' walk '`git log --first-parent --format=…`' log

# For the page of cost: commits, kind of address, rounds, milliseconds of a poll and of a fetch by git.
mkdir -p evaluation/journal
for kind in git file; do
  awk -v n="$commits" -v kind="$kind" -v runs="$runs" -v a="$(median "poll_$kind")" -v b="$(median "fetch_$kind")" \
    'BEGIN { printf "poll\t%d\t%s\t%d\t%.3f\t%.3f\n", n, kind, runs, a * 1e3, b * 1e3 }' >>evaluation/journal/history.tsv
done
