# A line of commits of the little library in which one, at a random place, does more work and the others only look as if.
# After repository.bash and grain.bash. The same number gives the same line.

write_sources() {  # write_sources: the tree as $order, $cuts, $dead, $renamed, $remark and $work say
  local names=() name place=0 file files=(first second third) src=$repository/src
  rm -f "$src"/*.cpp "$src"/*.hpp
  header >"$src/grain.hpp"
  program >"$src/main.cpp"
  for name in "${order[@]}"; do
    case $name in
      polynomial) [ "$work" -lt 3 ] || [ "$percent" != 3 ] || name=polynomial+3 ;;
      checksum) [ "$work" -ge 3 ] && [ "$percent" = 5 ] || name=checksum-5 ;;
    esac
    names+=("$name")
  done
  [ "$dead" = 0 ] || names=("${names[@]:0:$cuts}" dead "${names[@]:$cuts}")
  for file in "${files[@]}"; do
    source_file "$src/$file.cpp" "${names[@]:$place:3}"
    place=$((place + 3))
  done
  [ "$renamed" = 0 ] || sed -i 's/\bpolynomial_sum\b/sum_of_polynomial/g; s/\bstate\b/mixture/g; s/\bwords\b/input/g' "$src"/*.cpp
  sed -i "1i // Part of the little kernels, remark $remark." "$src"/*.hpp
}

shuffle() {  # shuffle: puts $order into another order
  local i j name
  for ((i = ${#order[@]} - 1; i > 0; --i)); do
    j=$((RANDOM % (i + 1)))
    name=${order[i]}
    order[i]=${order[j]}
    order[j]=$name
  done
  cuts=$((RANDOM % 4))
}

# make_line NUMBER COMMITS PERCENT BROKEN: a good commit and COMMITS after it, the guilty one with 3 or 5 % more work in
# polynomial or checksum; with BROKEN=1 one of the others does not build. Sets `ids` (the good one first), `culprit` and
# `broken_at` (places in it, 0: none) and `benchmark`.
make_line() {
  local commits=$2 broken=$4 at subject
  percent=$3
  RANDOM=$((7919 * $1 % 32749))
  order=(scramble polynomial checksum histogram prefix_sums sort_blocks lookup)
  cuts=0 dead=0 renamed=0 remark=0 work=0 broken_at=0
  culprit=$((1 + RANDOM % commits))
  [ "$broken" = 0 ] || broken_at=$((1 + (culprit + RANDOM % (commits - 1)) % commits))
  # Neither the guilty one, which would be found among others, nor the last, which the search begins with.
  [ "$broken_at" != "$commits" ] || broken_at=$((culprit == 1 ? 2 : 1))
  [ "$percent" = 3 ] && benchmark=polynomial || benchmark=checksum
  echo 'Little kernels.' >"$repository/README.md"
  write_sources
  commit 'Add the library'
  ids=("$id")
  for ((at = 1; at <= commits; ++at)); do
    if [ "$at" = "$culprit" ]; then
      work=3
      subject="$benchmark: Look at the beginning twice"
    else
      case $((RANDOM % 5)) in
        0) shuffle; subject='Move functions to other places and files' ;;
        1) dead=$((1 - dead)); subject='Change what nobody calls' ;;
        2) renamed=$((1 - renamed)); subject='Rename functions and variables' ;;
        3) remark=$at; subject='Say it in other words' ;;
        4) echo "Note $at." >>"$repository/README.md"; subject='Say more in the README' ;;
      esac
    fi
    write_sources
    [ "$at" != "$broken_at" ] || echo 'this does not compile;' >>"$repository/src/first.cpp"
    commit "$subject"
    ids+=("$id")
  done
}
