# Makes the two Markdown tables of compare.sh from its rows, separated by tabs:
# workload, per cent of extra work, tool, outcome, ratio, seconds, runs. A dash stands for no value.
BEGIN { FS = "\t" }

{
  key = $1 SUBSEP $2 SUBSEP $3
  if (!($1 in known)) { known[$1]; workloads[++workload_count] = $1 }
  if (!($2 in planted)) { planted[$2]; percents[++percent_count] = $2 }
  ++count[key]
  ++outcomes[key, $4]
  if ($5 != "-") add(key SUBSEP "ratio", $5)
  if ($6 != "-") add(key SUBSEP "seconds", $6)
  if ($7 != "-") add(key SUBSEP "runs", $7)
  if ($5 != "-" && $5 < 1) ++below_one[key]
  if ($5 != "-" && ($5 > 1.01 || $5 < 1 / 1.01)) ++apart[key]
}

# Keeps the values of each list in order.
function add(list, value,   i) {
  value += 0
  for (i = ++size[list]; i > 1 && values[list, i - 1] > value; --i) values[list, i] = values[list, i - 1]
  values[list, i] = value
}
function share_of(list, share,   rank) {  # the smallest value with at least this share of all at or below it
  rank = int(size[list] * share)
  if (rank < size[list] * share) ++rank
  return values[list, rank < 1 ? 1 : rank]
}
function median(list,   n) {
  n = size[list]
  return (values[list, int((n + 1) / 2)] + values[list, int((n + 2) / 2)]) / 2
}
function deviation(list,   i, n, sum, squares) {
  n = size[list]
  for (i = 1; i <= n; ++i) sum += values[list, i]
  for (i = 1; i <= n; ++i) squares += (values[list, i] - sum / n) ^ 2
  return n < 2 ? 0 : sqrt(squares / (n - 1))
}
function shown(format, list, value) { return size[list] > 0 ? sprintf(format, value) : "–" }
function median_of(format, list) { return shown(format, list, median(list)) }
function p90_of(list) { return shown("%.1f", list, share_of(list, 0.9)) }
function spread_of(list) { return size[list] > 1 ? sprintf("%.3f %%", 100 * deviation(list)) : "–" }
function range_of(list) { return shown("%.4f", list, values[list, 1]) " to " shown("%.4f", list, values[list, size[list]]) }
function of_all(part, key) { return count[key] > 0 ? sprintf("%d of %d", part, count[key]) : "–" }

END {
  print "A program against itself:\n"
  print "| workload | comparisons | slower | faster | unchanged | inconclusive | failed | median s | p90 s |" \
    " spread of ratio | hyperfine: median s | processes a side | spread of ratio | off by over 1 % |"
  print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
  for (w = 1; w <= workload_count; ++w) {
    t = workloads[w] SUBSEP 0 SUBSEP "tandem"; h = workloads[w] SUBSEP 0 SUBSEP "hyperfine"
    printf "| %s | %d | %d | %d | %d | %d | %d | %s | %s | %s | %s | %s | %s | %s |\n", workloads[w], count[t],
      outcomes[t, "slower"], outcomes[t, "faster"], outcomes[t, "unchanged"], outcomes[t, "inconclusive"],
      outcomes[t, "failed"], median_of("%.1f", t SUBSEP "seconds"), p90_of(t SUBSEP "seconds"),
      spread_of(t SUBSEP "ratio"), median_of("%.1f", h SUBSEP "seconds"), median_of("%d", h SUBSEP "runs"),
      spread_of(h SUBSEP "ratio"), of_all(apart[h], h)
  }

  print "\nA program against itself with more real work:\n"
  print "| workload | more instructions | found slower | faster | unchanged | inconclusive | failed | median s | p90 s |" \
    " median ratio | spread | range | hyperfine: median ratio | spread | wrong direction |"
  print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
  for (w = 1; w <= workload_count; ++w) {
    for (p = 1; p <= percent_count; ++p) {
      if (percents[p] == 0) continue
      t = workloads[w] SUBSEP percents[p] SUBSEP "tandem"; h = workloads[w] SUBSEP percents[p] SUBSEP "hyperfine"
      v = workloads[w] SUBSEP percents[p] SUBSEP "valgrind" SUBSEP "ratio"
      more = size[v] > 0 ? sprintf("+%.2f %%", 100 * (values[v, 1] - 1)) : sprintf("+%d %% (not counted)", percents[p])
      printf "| %s | %s | %s | %d | %d | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", workloads[w], more,
        of_all(outcomes[t, "slower"], t), outcomes[t, "faster"], outcomes[t, "unchanged"],
        outcomes[t, "inconclusive"], outcomes[t, "failed"], median_of("%.1f", t SUBSEP "seconds"),
        p90_of(t SUBSEP "seconds"), median_of("%.4f", t SUBSEP "ratio"), spread_of(t SUBSEP "ratio"),
        range_of(t SUBSEP "ratio"), median_of("%.4f", h SUBSEP "ratio"), spread_of(h SUBSEP "ratio"),
        of_all(below_one[h], h)
    }
  }
  print "\nSpread: standard deviation over the comparisons. hyperfine measured the same executables, each time right after" \
    "\nand for as long as `tandem compare`; its ratio is that of its means. Wrong direction: its ratio was below 1."
}
