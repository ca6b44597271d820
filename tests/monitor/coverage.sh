# Coverage as lcov and genhtml read it: unused() is never executed, leaf() fifteen times.
. "$SOURCE/tests/lib/expect.sh"
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the coverage should have: $1"; }

for chip in atmega328p msp430f1611; do
    elf=$FIRMWARE/monitor-workload-$chip.elf
    [ -e "$elf" ] || continue
    motet run --quiet --board $chip --json --monitor "coverage:file=$work/found" \
        --monitor "coverage:format=lcov,file=$work/info" "$elf"
    expect_status 0
    expect_found '.functions[] | select(.name == "unused") | .executed == 0 and .entered == 0 and .instructions > 1'
    expect_found '.functions[] | select(.name == "leaf") | .executed == .instructions and .entered == 15'
    expect_found '.functions[] | select(.name == "compute") | .executed == .instructions and .entered == 5'
    grep -q '^FNDA:15,leaf$' "$work/info" || fail "lcov should have leaf"
    line=$(grep -n 'total += 3' "$SOURCE/tests/monitor/workload.c" | cut -d: -f1)
    grep -q "^DA:$line,15\$" "$work/info" || fail "line $line should have been executed 15 times"
    lcov --summary "$work/info" >"$work/out" 2>&1 || fail "lcov --summary"
    grep -q 'functions' "$work/out" || fail "lcov should count functions"
    rm -rf "$work/html"
    genhtml -q -o "$work/html" "$work/info" >"$work/out" 2>&1 || fail "genhtml"
    page=$(find "$work/html" -name 'workload.c.gcov.html')
    [ -n "$page" ] || fail "genhtml should have made a page of workload.c"
    sed 's/<[^>]*>//g' "$page" | grep -qE "15 *:.*total \+= 3" || fail "the page should say 15 times at total += 3"
done

# Nodes of a network are tests of their own in one file.
motet run --quiet --nodes 2 --for 2s --monitor "coverage:format=lcov,file=$work/info" \
    "$FIRMWARE/monitor-workload-atmega328p.elf"
expect_status 0
grep -q '^TN:node_1$' "$work/info" || fail "node 1 should be there"
genhtml -q -o "$work/html" "$work/info" >"$work/out" 2>&1 || fail "genhtml of a network"
finish
