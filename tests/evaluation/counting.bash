# Sourced by the scripts beside it: what valgrind counts of a workload.

instructions() {  # instructions PROGRAM ITERATIONS
  OMP_WAIT_POLICY=passive timeout 300 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" --iterations "$2" 2>&1 |
    awk '/Collected/ { print $NF }'
}

# The difference of two counts leaves out the program's start. `rare` has an event in every 500 iterations.
work_of() {  # work_of PROGRAM: the instructions of some iterations; nothing if they cannot be counted
  local few=20 low high
  case $(basename "$1") in
    rare_*) few=5000 ;;
    openmp_* | sort_*) few=20 ;;
    *) few=200 ;;
  esac
  low=$(instructions "$1" "$few") || return 0
  high=$(instructions "$1" $((2 * few))) || return 0
  if [ -n "$low" ] && [ -n "$high" ]; then echo $((high - low)); fi
}
