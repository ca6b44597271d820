# Traces of instructions and of accesses to registers, against what is known of the firmwares.
. "$SOURCE/tests/lib/expect.sh"
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the trace should have: $1"; }

for chip in atmega328p msp430f1611; do
    elf=$FIRMWARE/monitor-workload-$chip.elf
    [ -e "$elf" ] || continue
    motet run --quiet --board $chip --json --monitor "instructions:file=$work/found" "$elf"
    expect_status 0
    count=$(tail -1 "$work/out" | jq .instructions)
    expect_found ".missed == 0 and (.instructions | length) == $count"
    motet run --quiet --board $chip --json --monitor "instructions:function=leaf,registers=yes,file=$work/found" "$elf"
    expect_found '[.instructions[].text | select(startswith("ret"))] | length == 15'
    motet run --quiet --board $chip --json --monitor "instructions:limit=10,file=$work/found" "$elf"
    expect_found "(.instructions | length) == 10 and .missed == $count - 10"
    motet run --quiet --board $chip --monitor "instructions:function=leaf" "$elf"
    expect_out "; leaf (workload.c:"
done
# total += 3 on the AVR: subi r18, 0xfd of what was read.
motet run --quiet --json --monitor "instructions:function=leaf,registers=yes,file=$work/found" \
    "$FIRMWARE/monitor-workload-atmega328p.elf"
expect_found '[.instructions[] | select(.text | startswith("subi r18")) | .registers.r18] == [range(3; 46; 3)]'
motet run --monitor instructions:registers=maybe "$FIRMWARE/monitor-workload-atmega328p.elf"
expect_complaint "choose yes or no"

elf=$FIRMWARE/monitor-interrupts-atmega328p.elf
motet run --quiet --for 10ms --json --monitor "registers:file=$work/found" "$elf"
expect_status 0
expect_found '[.accesses[] | [.access, .address, .value]] == [["write", 137, 62], ["write", 136, 127],
    ["write", 111, 2], ["write", 129, 9]]'
expect_found '.accesses[3] | .name == "TCCR1B" and .old == 0 and .size == 1'
motet run --quiet --for 10ms --json --monitor "registers:name=TIMSK1,file=$work/found" "$elf"
expect_found '[.accesses[].name] == ["TIMSK1"]'
for name in OCR1A:OCR1AH,OCR1AL OCR1AH:OCR1AH ocr1al:OCR1AL OCR1:; do # both bytes of a register have their names
    motet run --quiet --for 10ms --json --monitor "registers:name=${name%:*},file=$work/found" "$elf"
    expect_found "[.accesses[].name] | join(\",\") == \"${name#*:}\""
done
motet run --quiet --for 10ms --json --monitor "registers:access=read,file=$work/found" "$elf"
expect_found '.accesses == []'
motet run --quiet --for 10ms --monitor registers:format=csv "$elf"
expect_out ",write,129,TCCR1B,9,0,1,"
motet run --quiet --for 10ms --monitor registers:name=TIMKS1 "$elf"
expect_status 0
expect_out "no access to a register 'TIMKS1'; there were some to"
expect_out "TIMSK1"
motet run --monitor registers:access=both "$elf"
expect_complaint "choose read or write"
other=$FIRMWARE/monitor-interrupts-msp430f1611.elf
if [ -e "$other" ]; then
    motet run --quiet --board msp430f1611 --for 10ms --json --monitor "registers:file=$work/found" "$other"
    expect_found '[.accesses[] | [.access, .address, .value, .size]] == [["write", 288, 23168, 2],
        ["write", 370, 4999, 2], ["write", 354, 16, 2], ["write", 352, 528, 2]]'
fi
finish
