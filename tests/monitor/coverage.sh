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

# Firmware without line information: the text says so, JSON too, and lcov, which holds lines alone, is refused.
avr-strip -g -o "$work/plain.elf" "$FIRMWARE/monitor-workload-atmega328p.elf" || fail "avr-strip"
motet run --quiet --monitor coverage "$work/plain.elf"
expect_status 0
expect_out "100.0%"
expect_out "$work/plain.elf has no line information, so lines are not counted; give an ELF file that was built with -g"
motet run --quiet --json --monitor coverage "$work/plain.elf"
expect_status 0
expect_out '"files": [], "line_information": false'
motet run --quiet --monitor "coverage:format=lcov,file=$work/none" "$work/plain.elf"
expect_complaint "monitor coverage: $work/plain.elf has no line information, which format=lcov needs; give an ELF file"
[ ! -e "$work/none" ] || fail "nothing should be written"
finish
