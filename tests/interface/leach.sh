# The published example (LibReplay, 4.2): a timer overwrites the type of a message between send and sent. The log of the
# faulty firmware shows the packet with one type at radio_send, the timer's call in, and the packet with another type at
# the call of sent. The log of the repaired firmware shows none of this.
. "$SOURCE/tests/lib/expect.sh"
printf '%s\n' 'log sample(data): data[4] at return' 'log received(origin, data): data[4]' >"$work/leach.interface"

# How often: a send of `packet`, then the timer, then its sent with another byte 4 of *p, which is the type.
overwritten() { # FILES
    jq -n '[inputs | select(.function == "radio_send" and .event == "call-out" or
                           .function == "message_sent" and .event == "call-in" or
                           .function == "tell_status" and .event == "call-in")] |
        reduce .[] as $e ({sent: {}, timer: {}, count: 0};
            ($e.node | tostring) as $n |
            if $e.function == "radio_send" then .sent[$n] = $e.buffers[0].bytes[8:10] | .timer[$n] = false
            elif $e.function == "tell_status" then .timer[$n] = true
            elif .timer[$n] and .sent[$n] != $e.buffers[0].bytes[8:10] then .count += 1
            else . end) | .count' "$@"
}

for board in micaz telosb; do
    for kind in -leach-type ''; do
        elf=$FIRMWARE/leach-$board$kind.elf
        rm -f "$work"/node-*
        motet run --quiet --board $board --nodes 6 --for 60s --monitor \
            "interface:of=kit/leach.c,describe=$work/leach.interface,format=jsonl,file=$work/node-%id" "$elf"
        expect_status 0
        count=$(overwritten "$work"/node-*)
        case $kind in
        '') [ "$count" -eq 0 ] || fail "$elf: $count messages are overwritten, which the repaired firmware does not do" ;;
        *) [ "$count" -gt 0 ] || fail "$elf: the log should show the timer between send and sent, and another type" ;;
        esac
    done
done
finish
