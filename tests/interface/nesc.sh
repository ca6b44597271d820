# nesC's programs of one file: a component by a glob of names, logged on the node and replayed; TinyOS's interfaces by their
# generated names, with the descriptions that Motet brings.
. "$SOURCE/tests/lib/expect.sh"

for board in micaz telosb; do
    elf=$FIRMWARE/nesc-$board-logged.elf
    [ -e "$elf" ] || continue
    motet run --quiet --board $board --for 6s --serial 0=null --serial 1=null --save-flash "$work/flash" "$elf"
    expect_status 0
    motet collect --elf "$elf" --board $board --output "$work/log" --json "$work/flash"
    jq -e '.missing == 0 and .lost == 0 and .interrupts == 0' "$work/out" >/dev/null || fail "$board: the log should be whole"
    motet replay --board $board --elf "$elf" --json "$work/log"
    jq -e '.differs == false and .events > 500 and (.end | startswith("the log ends"))' "$work/out" >/dev/null || fail "$board: the replay should be exact"
done

for chip in atmega328p msp430f1611; do
    elf=$FIRMWARE/interface-message-$chip.elf
    [ -e "$elf" ] || continue
    motet run --quiet --board $chip --monitor 'interface:of=AppP.*' "$elf"
    expect_status 0
    for text in 'call-in +AppP[_$]+Timer[_$]+fired\(\)' 'RadioP[_$]+AMSend[_$]+send\(addr=3, msg=.*msg->data\[len\]: 10 11 12 13 14[,}]' \
        'call-in +AppP[_$]+AMSend[_$]+sendDone\(msg=' 'AppP[_$]+Receive[_$]+receive\(.*payload\[len\]: 10 11 12[,}]' 'UartP[_$]+Send[_$]+send\(msg='; do
        grep -qE "$text" "$work/out" || fail "$chip: standard output should have: $text"
    done
    grep -E 'UartP[_$]+Send' "$work/out" | grep -qF 'data[' && fail "$chip: a send of another type should not be taken for TinyOS's"
done
finish
