#!/bin/sh
# judge.sh SLOW FIX FAST: reads the table of `tandem report --all` and says, a sentence each, what in it is not as
# planted. Arguments: the first eight digits of the commit that made softmax slower, of its fix, and of the one that
# made conv2d faster.
# Exit codes: 0 as planted, 1 something was reported that is not so, 3 not everything planted was found, 4 no table.
set -eu

if [ $# -ne 3 ]; then
  echo "usage: $0 SLOW FIX FAST <TABLE" >&2
  exit 2
fi

# At least two spaces part the columns; only the last one, the subject, may hold two spaces itself.
awk -F '  +' -v slow="$1" -v fix="$2" -v fast="$3" '
  function say(text) { print "demo: " text }
  NR == 1 {
    table = $0 == "no records" || $1 " " $3 " " $4 " " $5 " " $7 == "ID STATE CHANGE BENCHMARK COMMIT"
    next
  }
  NF == 0 { next }
  {
    state = $3; change = $4; benchmark = $5; commit = $7
    kind = state
    sub(/,.*/, "", kind)
    row = benchmark ", " change ", at " commit " (" state ")"
  }
  # A first look that no second one bore out, and what lies in one layout only, are kept as notes.
  kind == "not reproduced" || kind == "could not be confirmed" || kind == "postponed" || kind == "layout" {
    say("noted beside that, and not reported as a regression: " row ".")
    next
  }
  kind == "improvement" {
    if (benchmark == "pebble/conv2d/3x3" && commit == fast) { noted = 1; next }
    if (benchmark == "pebble/softmax/1000" && commit == fix) next
    say("WRONG: noted as an improvement that was not planted: " row ".")
    wrong = 1
    next
  }
  benchmark != "pebble/softmax/1000" || commit != slow || change !~ / slower$/ || kind == "accumulated" {
    say("WRONG: reported as a regression, though it is none, or of another commit or operator: " row ".")
    wrong = 1
    next
  }
  {
    planted = row
    if (state == "fixed by " fix) {
      ended = 1
    } else if (kind == "partly fixed") {
      say("WRONG: a part is said to be left after " fix ", where the code is the same as before: " row ".")
      wrong = 1
    } else if (kind ~ /^fixed/) {
      say("WRONG: said to be ended by another commit than " fix ": " row ".")
      wrong = 1
    }
  }
  END {
    if (!table) { say("this is not the table of tandem report."); exit 4 }
    if (!planted) say("the slower softmax of " slow " was not reported.")
    if (planted && !ended && !wrong) say(slow " was named rightly, but its fix " fix " did not end it: " planted ".")
    if (!noted) say("the faster conv2d of " fast " was not noted.")
    exit wrong ? 1 : ended && noted ? 0 : 3
  }'
