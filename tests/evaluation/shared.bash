# Sourced by the scripts beside it: what they begin with and share. The first argument of each is the build directory; sets
# `build` and `here`, the folder of the scripts.
set -euo pipefail
export LC_ALL=C
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=$(readlink -f "${1:?usage: $(basename "$0") BUILD_DIRECTORY}")

say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }
fail() { say "$*"; exit 1; }
calculate() { awk "BEGIN { print ($1) }"; }
# since BEGIN [FORMAT]: the seconds since that $EPOCHREALTIME
since() { awk -v a="$1" -v b="$EPOCHREALTIME" -v form="${2:-%g}" 'BEGIN { printf form "\n", b - a }'; }
needed() { command -v "$1" || fail "$1 is not installed"; }  # needed TOOL: prints where it is
fields() { local IFS=$'\t'; printf '%s\n' "$*"; }            # fields FIELD…: a line of them

open_journal() {  # open_journal NAME: sets `journal` to evaluation/journal/NAME.tsv, without a last line that was cut off
  journal=$PWD/evaluation/journal/$1.tsv
  mkdir -p evaluation/journal
  touch "$journal"
  [ -z "$(tail -c 1 "$journal")" ] || sed -i '$d' "$journal"
}
is_noted() { grep -q "^$1"$'\t'"$2"$'\t' "$journal"; }  # is_noted KIND KEY

timed() {  # timed LOG COMMAND…: sets `seconds`; what the command prints goes to the log, which is shown when it fails
  local log=$1 begin=$EPOCHREALTIME
  shift
  "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "failed: $*"; }
  seconds=$(since "$begin" %.4f)
}

collected() {  # collected PROGRAM ARGUMENT…: the instructions that valgrind counts
  OMP_WAIT_POLICY=passive timeout 300 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 |
    awk '/Collected/ { print $NF }'
}

# The difference of two counts leaves out the program's start. `rare` has an event in every 500 iterations.
work_of() {  # work_of PROGRAM: the instructions of some iterations; nothing if they cannot be counted
  local few=200 low high
  case $(basename "$1") in
    rare_*) few=5000 ;;
    openmp_* | sort_*) few=20 ;;
  esac
  low=$(collected "$1" --iterations "$few") || return 0
  high=$(collected "$1" --iterations $((2 * few))) || return 0
  if [ -n "$low" ] && [ -n "$high" ]; then echo $((high - low)); fi
}

run_ns=25000000  # one process of a workload under hyperfine

iterations_for_hyperfine() {  # iterations_for_hyperfine PROGRAM: so many take $run_ns; nothing if it gives no time alone
  timeout 60 "$1" --json --seconds 0.3 | sed -n 's/.*"median": \([0-9.]*\).*/\1/p' |
    awk -v all="$run_ns" '{ n = int(all / $1); print (n < 1 ? 1 : n) }'
}
time_processes() {  # time_processes CONTROL TREATMENT ITERATIONS RUNS: fills $scratch/times.csv
  timeout 600 hyperfine -N --style none --warmup 1 --runs "$4" --export-csv "$scratch/times.csv" \
    -n control "'$1' --iterations $3" -n treatment "'$2' --iterations $3" >/dev/null 2>"$scratch/messages"
}
# The mean of one process; and, because hyperfine itself prints it, the ratio of means.
process_seconds_of() { awk -F, '$1 == "control" { print $2 }' "$scratch/times.csv"; }
ratio_of_means() { awk -F, '{ mean[$1] = $2 } END { printf "%.9f", mean["treatment"] / mean["control"] }' "$scratch/times.csv"; }

cpu_times() { awk '/^cpu / { for (i = 2; i <= 9; ++i) all += $i; print $9, all }' /proc/stat; }  # stolen, all
load_before=$(cut -d ' ' -f 1 /proc/loadavg)
read -r stolen_before all_before < <(cpu_times)
host_line() {  # what host this is, and what has been stolen since the script began
  local stolen all model
  read -r stolen all < <(cpu_times)
  model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  printf 'Host: %s, %s processors, Linux %s, load at the start %s, ' "${model:-unknown}" "$(nproc)" "$(uname -r)" "$load_before"
  printf '%.2f %% of the time stolen by the hypervisor.' "$(calculate "100 * ($stolen - $stolen_before) / ($all - $all_before + 1)")"
}
