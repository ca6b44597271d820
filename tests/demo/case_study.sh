# What `make demo` shows is what it says it shows: the invariant fails in firmware, all logs are frozen and two of them come
# over the radio, the pictures are those of the paper, the debugger gets back to where it began, and the fix helps.
. "$SOURCE/tests/lib/expect.sh"
command=scripts/demo
demo=$work/demo
BUILD=$(dirname "$MOTET") DEMO=$demo NO_COLOR=1 "$SOURCE/scripts/demo" >"$work/out" 2>"$work/err" </dev/null
status=$?
expect_status 0
expect_no_err
expect_out "base station: nothing from nodes 5, 6, 7, 8 for 40 s; all nodes are told to keep their logs"
[ "$(grep -c 'then it was frozen' "$work/out")" -eq 2 ] || fail "two frozen logs should come over the radio"
[ "$(grep -c 'the firmware froze the log' "$work/out")" -gt 4 ] || fail "each replay should end at the freeze"
expect_not_in_out "exit status"
expect_out "route_update"
grep -Eq '^New value = [0-4]$' "$work/out" || fail "the debugger should come to a parent on the base station's side"
expect_out "With the fix the invariant holds"
# The last chapter: both nodes stand at one time, where node 5 is lost, and then at an earlier one, after the link broke.
sed -n '/together.gdb/,$p' "$work/out" >"$work/together"
awk '/^cost = / { cost[++n] = $3 } / s, node / { time[++t] = $1 }
    END { exit !(n == 4 && cost[1] > cost[2] + 100 && cost[1] < 65535 && time[3] > 30 && time[1] == time[2] && time[3] == time[4] && time[3] < time[1]) }' \
    "$work/together" || fail "nodes 4 and 5 are not stopped together"
[ -s "$demo/partition.html" ] && [ "$(wc -c <"$demo/partition.html")" -lt 5000000 ] || fail "the report of the run: none, or too large"
grep -q "^file://.*/partition.html#node=5&at=50$" "$work/out" || fail "the demo should end with the address of the report"
[ -s "$demo/story.html" ] || fail "there is no story of both nodes"

holds() { # FILE CONDITION: of awk, on sums made of a table's columns time ($1) and last or first value
    awk -F, "BEGIN { least = 1e9 } NR > 1 { $2 } END { exit !($3) }" "$demo/$1" || fail "$1 should have: $3"
}
# Figure 10: the cost at node 5 rises from the cut on, and goes on rising after the repair; node 4 has none of it.
holds etx-5.csv 't = $1 + 0; v = $4 + 0; if (t > 5 && t < 29) before = v; if (t > 40 && t < 49) cut = v; last = v' \
    'before < 60 && cut > 5 * before && last > 1.2 * cut'
holds etx-4.csv 'v = $4 + 0; if ($1 > 0.5 && v > most) most = v' 'most > 0 && most < 100'
# Figure 11: node 4 hears nothing of node 5 while the link is down, and again after the repair. (Its own clock
# began when it was switched on.)
holds beacons-4.csv 't = $1 + 0; early += t < 30; during += t > 30.5 && t < 48.5; late += t > 51' \
    'early > 2 && during == 0 && late > 8'
# Figure 12: the log of node 5 grows faster from the cut on, that of node 4 does not.
holds log-5.csv 't = $1 + 0; v = $3 + 0; if (t < 10) a = v; if (t < 29) b = v; if (t < 50) c = v' \
    'b > a && (c - b) / 21 > 2 * (b - a) / 19'
holds log-4.csv 't = $1 + 0; v = $3 + 0; if (t < 10) a = v; if (t < 29) b = v; if (t < 50) c = v' \
    'b > a && (c - b) / 21 < 2 * (b - a) / 19'
for picture in etx beacons-4 log; do
    grep -q '<path class="s" stroke="#1f77b4" d="M[^"]*[LH]' "$demo/$picture.svg" || fail "$picture.svg has no curve"
    grep -q '<rect class="h"' "$demo/$picture.svg" || fail "$picture.svg should shade the time of the cut"
    grep -q '>time (s)<' "$demo/$picture.svg" || fail "$picture.svg should have units"
    grep -q "$picture.svg" "$demo/index.html" || fail "index.html should show $picture.svg"
done
for picture in etx log; do # both nodes
    grep -q '>node 4<' "$demo/$picture.svg" && grep -q '>node 5<' "$demo/$picture.svg" || fail "$picture.svg should have both nodes"
done
for figure in 10 11 12; do
    grep -q "Figure $figure" "$demo/index.html" || fail "index.html should name the paper's Figure $figure"
done
finish
