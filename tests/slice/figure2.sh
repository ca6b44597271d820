#!/bin/sh
# usage: figure2.sh MOTET
# The paper's Figure 2: its graph, its levels, its boundary functions.
set -u
motet=$1 here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
"$motet" slice "$here/figure2.c" --board uno --invariant Inv_fun --json --graph graph > out || fail "slice"
levels=$(jq -r '.slice[] | select(.level) | "\(.level) \(.name) \(.boundary)"' out | sort | tr '\n' ',')
[ "$levels" = "1 f1 true,1 f3 true,1 f4 false,2 f0 true,2 f2 true,3 main true," ] || fail "levels: $levels"
[ "$(jq '[.slice[].name] | index("unrelated")' out)" = null ] || fail "a function that has nothing to do with it"
edge() { # FROM TO STYLE, by their names
    sed -n 's/^ *"\([^"\\]*\)[^"]*" -> "\([^"\\]*\)[^"]*"\(.*\);$/\1 \2\3/p' graph | grep -qxF "$1 $2$3"
}
for call in "the check f1" "the check f3" "f3 f1" "f3 f2" "f4 f1" "f1 f0" "f2 f0" "f0 main"; do
    edge "${call% *}" "${call##* }" "" || fail "no call edge $call"
done
for dependence in "the check f3" "the check f4"; do
    edge "${dependence% *}" "${dependence##* }" " [style=dotted]" || fail "no dependence edge $dependence"
done
edge "the check" f2 "" && fail "a call edge that is not there"
edge f4 f3 " [style=dotted]" && fail "a dependence that is not there"

# Up to level 1: f2's and f0's part is outside. The same invariant as an expression, checked in f1.
"$motet" slice "$here/figure2.c" --board uno --invariant Inv_fun --level 1 | grep -qE '^ +2 ' || fail "--level: costs of all levels"
"$motet" slice "$here/figure2.c" --board uno --invariant 'figure2.c:f1: a + b <= 100' --json > out || fail "an expression"
levels=$(jq -r '.slice[] | select(.level == 1) | .name' out | sort | tr '\n' ' ')
[ "$levels" = "f1 f3 f4 " ] || fail "an expression: level 1 is $levels"

# The same for a Cortex-M.
if command -v arm-none-eabi-gcc > /dev/null; then
    "$motet" slice --invariant Inv_fun --json -- arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -c "$here/figure2.c" > out || fail "Cortex-M"
    levels=$(jq -r '.slice[] | select(.level) | "\(.level) \(.name) \(.boundary)"' out | sort | tr '\n' ',')
    [ "$levels" = "1 f1 true,1 f3 true,1 f4 false,2 f0 true,2 f2 true,3 main true," ] || fail "Cortex-M, levels: $levels"
fi
[ "$failures" -eq 0 ] || { cat graph; exit 1; }
