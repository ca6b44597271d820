# What logging adds to a call, in cycles, which are exact: of scalars at most 75, of buffers at most 150 and 11 a byte; and
# to the flash memory of a node: less than printf() of the same calls, also with the reads that make the log closed.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/logged-cost-atmega128-Os.elf" ] || { echo "skipped: there is no libclang"; exit 0; }

measured() { # CHIP FIRMWARE
    motet run --quiet --board "$1" --serial "0=file:,$work/serial" "$FIRMWARE/$2.elf"
    expect_status 0
    cp "$work/out" "$work/$3"
}

# What a call costs beyond the same call without logging. Calls out are made from inside a call in, which costs as well.
added() { # NAME
    paste -d' ' "$work/plain" "$work/logged" | awk -v name="$1" '
        $1 == "nothing" { inside = $4 - $2 }
        $1 == name { print $4 - $2 - (name ~ /^in-/ ? 0 : inside) }'
}

at_most() { # NAME CYCLES
    cycles=$(added "$1")
    [ "$cycles" -gt 0 ] || fail "$chip -$level: $1 should cost something"
    [ "$cycles" -le "$2" ] || fail "$chip -$level: $1 takes $cycles cycles, more than $2"
}

for chip in atmega128 msp430f1611; do
    for level in O0 Os O3; do
        [ -e "$FIRMWARE/logged-cost-$chip-$level.elf" ] || continue
        measured $chip interface-cost-$chip-$level plain
        measured $chip logged-cost-$chip-$level logged
        for name in out-task out-getter out-word out-word-word out-timer in-task in-byte in-word in-byte-byte read; do
            at_most $name 75
        done
        [ $level = O0 ] && continue # the compiler's own code to find a buffer is slower
        for name in out-bytes-1 in-bytes-1; do at_most $name 161; done
        for name in out-bytes-18 out-send-18 in-bytes-18; do at_most $name $((150 + 11 * 18)); done
    done
done
# What --report says beforehand, for the analysis of deadlines: of calls in, what is measured; of calls out, not less than that and
# a jump that the compiler makes in place of a call where nothing is logged.
set -- avr-gcc -mmcu=atmega128 -gdwarf-4 -Os "-I$SOURCE/target/include"
motet cc --log-interface cost_inside.c --report - --json -- "$@" -c -o "$work/inside.o" "$SOURCE/tests/interface/cost_inside.c"
expect_status 0
cp "$work/out" "$work/report"
measured atmega128 interface-cost-atmega128-Os plain
measured atmega128 logged-cost-atmega128-Os logged
for name in in-task in-byte in-word in-byte-byte out-task out-getter out-word out-word-word out-timer; do
    said=$(jq -r --arg name "cost_$(echo $name | tr - _)" '.elements[] | select(.function == $name) | .cycles' "$work/report")
    more=$((said - $(added $name)))
    [ "$more" -eq 0 ] || { [ "${name%%-*}" = out ] && [ "$more" -lt 0 ] && [ "$more" -ge -6 ]; } || fail "$name: the report says $said cycles, $(added $name) are measured"
done
jq -e '[.elements[] | .most >= .cycles] | all' "$work/report" >/dev/null || fail "the report has a maximum that is none"
# In flash memory: calls and what writes them out, beside printf() of the same calls; and with reads.
flash() { # BOARD FIRMWARE
    motet info --board "$1" "$FIRMWARE/$2.elf"
    awk '$1 == "program" { print $3 }' "$work/out"
}
for board in micaz telosb; do
    [ -e "$FIRMWARE/logged-collect-$board-calls.elf" ] || continue
    plain=$(flash $board collect-$board)
    printed=$(($(flash $board printed-collect-$board) - plain))
    calls=$(($(flash $board logged-collect-$board-calls) - plain))
    closed=$(($(flash $board logged-collect-$board) - plain))
    [ $calls -gt 1000 ] && [ $closed -gt $calls ] || fail "$board: a closed log adds $closed bytes, one of calls $calls"
    [ $closed -lt $printed ] || fail "$board: a closed log adds $closed bytes, printf $printed"
done
finish
