# Where the wall time of a daemon goes, seen from outside and without processes of our own: a hundred times a second, which
# of its children are alive. What a child does is told by the first name at or below it that is not the sandbox's.

# time_of_children PID: until it ends; then prints seconds of builds, links, launches, other children (too short to be told,
# or asked for their version) and of no child at all, and the number of looks. Fetches count as no child: they are the
# daemon itself, started again.
time_of_children() {
  local pid=$1 never last newest child line rest name root key before at spent looks=0 words
  local -a root_of=()  # by number, so that parents come before their children
  local -A kind=() untold=() sum=([build]=0 ['link']=0 [launch]=0 [other]=0 [none]=0)
  exec {never}<> <(:)
  read -r _ _ _ _ last </proc/loadavg  # the number that was given last
  before=${EPOCHREALTIME/./}
  while { IFS= read -r line <"/proc/$pid/stat"; } 2>/dev/null && [[ ${line##*) } != Z* ]]; do
    read -r -t 0.01 -u "$never" _ || :
    read -r _ _ _ _ newest </proc/loadavg
    if [ "$newest" -lt "$last" ]; then last=1; fi  # they begin anew
    for ((child = last + 1; child <= newest; ++child)); do
      { IFS= read -r line <"/proc/$child/stat"; } 2>/dev/null || continue
      rest=${line##*) ? }
      root=${rest%% *}  # the parent
      if [ "$root" = "$pid" ]; then
        root_of[$child]=$child
      elif [ -n "${root_of[$root]:-}" ]; then
        root_of[$child]=${root_of[$root]}
      fi
    done
    last=$newest
    at=${EPOCHREALTIME/./}
    spent=$((at - before))
    before=$at
    looks=$((looks + 1))
    key=none
    for child in "${!root_of[@]}"; do
      root=${root_of[$child]}
      { IFS= read -r line <"/proc/$child/stat"; } 2>/dev/null || line=') Z'
      if [[ ${line##*) } == Z* ]]; then
        unset "root_of[$child]"
        if [ "$child" = "$root" ]; then
          name=${kind[$root]:-other}
          sum[$name]=$((sum[$name] + ${untold[$root]:-0}))
          unset "kind[$root]" "untold[$root]"
        fi
        continue
      fi
      if [ -z "${kind[$root]:-}" ]; then
        name=${line#*(}
        name=${name%)*}
        case $name in
          bwrap | shim) ;;
          tandem)
            words=()
            { mapfile -d '' -t words <"/proc/$child/cmdline"; } 2>/dev/null || :
            if [ "${words[1]:-}" = internal-fetch ]; then kind[$root]=none; fi
            ;;
          build.sh | sh | bash | ccache | cc1* | as | collect2) kind[$root]=build ;;
          ld.lld | mold) kind[$root]='link' ;;
          c++ | g++* | clang* | cmake | ld*) kind[$root]=other ;;
          *) kind[$root]=launch ;;
        esac
      elif [ "$child" != "$root" ]; then
        unset "root_of[$child]"  # it has told what there is to tell
      fi
      if [ "$child" = "$root" ]; then key=${kind[$root]:-$root}; fi
    done
    if [ -n "${sum[$key]:-}" ]; then
      sum[$key]=$((sum[$key] + spent))
    else
      untold[$key]=$((${untold[$key]:-0} + spent))
    fi
  done
  exec {never}>&-
  for key in "${!untold[@]}"; do sum[${kind[$key]:-other}]=$((sum[${kind[$key]:-other}] + untold[$key])); done
  awk -v b="${sum[build]}" -v l="${sum['link']}" -v r="${sum[launch]}" -v o="${sum[other]}" -v n="${sum[none]}" -v looks="$looks" \
    'BEGIN { printf "%.3f %.3f %.3f %.3f %.3f %d\n", b / 1e6, l / 1e6, r / 1e6, o / 1e6, n / 1e6, looks }'
}
