#!/usr/bin/env bash
# demo.sh TANDEM WORK_DIR: writes the example's history, lets the daemon walk it, and checks what it found: one
# regression, the right commit and operator, fixed by the right commit, the faster convolution noted. Never a ratio;
# judge.sh decides.
# Exit codes: 0 as planted, 1 a wrong outcome, 3 the host is too noisy, 4 something outside failed.
# TANDEM_DEMO_CXXFLAGS: flags that the example is built with instead of the usual ones, such as "-O3 -march=native".
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tandem=$1
work=$2
repository=$work/repository
state=$work/state
flags=${TANDEM_DEMO_CXXFLAGS:-}

say() { printf '%s\n' "$*"; }
commit_of() { git -C "$repository" log --format=%H -1 --fixed-strings --grep="$1" main; }
program_of() { echo "$state"/cache/example/linux/"$1"/*/programs/example_benchmark; }

rm -rf "$work"
mkdir -p "$work"
"$here/make_history.sh" "$repository" >/dev/null
slow=$(commit_of 'softmax: Refuse input that has overflowed')
fix=$(commit_of 'softmax: Leave the look for overflows to the caller')
fast=$(commit_of 'conv2d: Find the taps inside the image once per pixel')
commits=$(git -C "$repository" rev-list --count main)
say "A small tensor library with a history of $commits commits over two weeks. One of them makes an operator slower."

say
say "How quiet is this host? The same program next to itself:"
git -C "$repository" archive --prefix=source/ main | tar -x -C "$work"
sdk=$here/../../../runners/sdk
[ -e "$sdk/tandem.hpp" ] || sdk=$here/../../sdk
TANDEM_SDK_DIR=$sdk CXX=g++ CXXFLAGS=$flags "$here/build.sh" "$work/source" "$work/example_benchmark" >"$work/build.log" 2>&1 ||
  { tail -5 "$work/build.log"; exit 4; }
"$tandem" compare "$work/example_benchmark" "$work/example_benchmark" --measure_identical --json >"$work/alike.json" || true
awk -F'[:,]' '/"minimum_detectable_effect"/ { v = 100 * $2; if (v > most) most = v }
  END { if (!most) { print "this could not be found out beforehand; the walk tells"; exit }
        printf "with no more launches than that took, a change of %.2g %% would be seen in each of its benchmarks\n", most }' "$work/alike.json"

walk() {  # walk [FLAGS…]
  rm -rf "$state"
  "$tandem" daemon --once --repo_dir "$repository" --branch main --framework example \
    --frameworks_dir "$(dirname "$here")" --benchmark_file "$here/../../benchmarks/example.json" \
    --state_dir "$state" --regression --same_host ${flags:+--cxxflags "$flags"} "$@"
}
inconclusive() { grep -q '"outcome": "inconclusive"' "$state/status.json"; }

say
say "The daemon walks the branch, as it would in the field:"
for launches in 66 200; do
  code=0
  walk --max_launches "$launches" || code=$?
  "$tandem" report --state_dir "$state" --all >"$work/records.txt"
  judged=0
  "$here/judge.sh" "${slow:0:8}" "${fix:0:8}" "${fast:0:8}" <"$work/records.txt" >"$work/judged.txt" || judged=$?
  # More launches find what was missed; they do not take back what was reported wrongly.
  [ "$judged" -eq 3 ] || break
  [ "$launches" = 66 ] || break
  cat "$work/judged.txt"
  say "Not everything was found on this host with 66 launches; once more with more of them."
done

say
cat "$work/records.txt"
if [ -s "$work/judged.txt" ]; then
  say
  cat "$work/judged.txt"
fi
if [ "$judged" -eq 3 ]; then
  say "demo: this host is too noisy: not all that was planted was seen, even with 200 launches per benchmark."
fi
if [ "$judged" -ne 0 ]; then exit "$judged"; fi
if [ "$code" -ne 0 ] && ! { [ "$code" -eq 3 ] && inconclusive; }; then
  say "demo: the daemon ended with status $code, though it found what was planted"
  if [ "$code" -eq 4 ]; then exit 4; fi
  exit 1
fi
id=$(awk -F '  +' -v commit="${slow:0:8}" '$3 ~ /^fixed by / && $7 == commit { print $1 }' "$work/records.txt")
say
"$tandem" report --state_dir "$state" "$id"

# What everybody else does: time each commit once, after the other, and compare the numbers.
look_slower=0
compared=0
previous=
for commit in $(git -C "$repository" rev-list --reverse main); do
  program=$(program_of "$commit")
  [ -x "$program" ] || continue
  "$program" --json --seconds 0.1 | sed -n 's/.*"benchmark": "\([^"]*\)".*"median": \([0-9.]*\).*/\1 \2/p' >"$work/now.txt"
  if [ -n "$previous" ]; then
    compared=$((compared + 1))
    if awk 'NR == FNR { before[$1] = $2; next } $2 > 1.02 * before[$1] { slower = 1 } END { exit !slower }' \
      "$work/before.txt" "$work/now.txt"; then look_slower=$((look_slower + 1)); fi
  fi
  mv "$work/now.txt" "$work/before.txt"
  previous=$commit
done
say
say "Timed one after the other, $look_slower of $compared commits look slower than the one before by more than 2 %; Tandem: 1."
say
say "What to do next: two programs of your own: $tandem compare OLD NEW; your own branch: README.md, \"Watch a branch\"."
