# Names and options of monitors, where they are written, and what is refused.
. "$SOURCE/tests/lib/expect.sh"
elf=$FIRMWARE/monitor-workload-atmega328p.elf

motet monitors
expect_status 0
expect_out "coverage: "
motet monitors --json
jq -e 'map(.name) | index("coverage") != null' "$work/out" >/dev/null || fail "monitors --json"
jq -e 'all(.[]; (.about | length > 0) and (.formats | length > 0) and (.options | map(.name) | index("file")))' \
    "$work/out" >/dev/null || fail "each monitor should say what it is, its options and formats"
for name in $(jq -r '.[].name' "$work/out"); do
    grep -q "^## $name\$" "$SOURCE/docs/monitors.md" || fail "docs/monitors.md should have a section on $name"
done

motet run --monitor covrage "$elf"
expect_complaint "did you mean coverage?"
motet run --monitor coverage:fiel=x "$elf"
expect_complaint "did you mean file?"
motet run --monitor coverage:nonsense "$elf"
expect_complaint "'nonsense' is not OPTION=VALUE"
motet run --monitor coverage:file= "$elf"
expect_complaint "nothing follows 'file='"
motet run --monitor sampling:period=5,period=6 "$elf"
expect_complaint "period is given twice to monitor sampling, '5' before"
motet run --monitor "sampling:file=$work/both" --monitor "coverage:file=$work/both" "$elf"
expect_complaint "the monitors sampling and coverage cannot both write to $work/both"
[ ! -e "$work/both" ] || fail "nothing should be written then"
motet run --monitor sampling:period=99999999999999999999 "$elf"
expect_complaint "a whole number is needed, from 0 to 18446744073709551615"
motet run --monitor coverage:format=xml "$elf"
expect_complaint "its formats are text, json, lcov"
motet run --monitor "coverage:file=$work/no/such" "$elf"
expect_complaint "cannot write to $work/no/such"

motet run --monitor "coverage:file=$work/found" "$elf"
expect_status 0
expect_no_out
grep -q "100.0% .* compute" "$work/found" || fail "the file should have what was found"

motet run --json --monitor coverage "$elf"
expect_status 0
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "there should be a line for the monitor and one for the run"
head -1 "$work/out" | jq -e '.monitor == "coverage" and .node == 0' >/dev/null || fail "the monitor's line"
tail -1 "$work/out" | jq -e '.exit_reason == "exit"' >/dev/null || fail "the run's line"

# Of each node, in the order of ids, with any number of threads; and a file for each.
motet run --nodes 3 --threads 1 --for 2s --monitor coverage "$elf"
expect_status 0
grep '^== ' "$work/out" | tr '\n' ' ' | grep -q 'node 0 == coverage of node 1 == coverage of node 2' || fail "the order"
cp "$work/out" "$work/one"
motet run --nodes 3 --threads 3 --for 2s --monitor coverage "$elf"
cmp -s "$work/out" "$work/one" || fail "threads should make no difference"
motet run --nodes 3 --for 2s --monitor "coverage:format=json,file=$work/node%id" "$elf"
expect_status 0
motet run --nodes 2 --for 2s --monitor profile:format=callgrind "$elf"
expect_complaint "callgrind holds one node"
motet run --nodes 2 --for 2s --quiet --monitor "profile:format=callgrind,file=$work/callgrind.%id" "$elf"
expect_status 0
for id in 0 1; do grep -q "^cmd: node $id\$" "$work/callgrind.$id" || fail "the profile of node $id"; done
for id in 0 1 2; do jq -e ".node == $id" "$work/node$id" >/dev/null || fail "the file of node $id"; done
finish
