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

# The same in the merged log of all nodes, whose events have the type as the first of their bytes: the lines of each that
# was overwritten, from send to sent. What other nodes did meanwhile is among them.
overwritten_in_merged() { # FILE
    jq -s '[range(length) as $i | .[$i] + {line: $i}] | group_by(.node) | map(
        map(select(.what == "radio_send" and .bytes or .what == "message_sent" and .bytes or
                   .what == "tell_status" and (.details | startswith("(")))) |
        [range(length - 2) as $i | .[$i:$i + 3] | select(map(.what) == ["radio_send", "tell_status", "message_sent"] and
            .[0].bytes[0:2] != .[2].bytes[0:2] and .[0].bytes[2:] == .[2].bytes[2:] and
            .[0].time <= .[1].time and .[1].time <= .[2].time and
            .[0].line < .[1].line and .[1].line < .[2].line)]) | add | length' "$1"
}

for board in micaz telosb; do
    for kind in -leach-type ''; do
        elf=$FIRMWARE/leach-$board$kind.elf
        rm -f "$work"/node-*
        motet run --quiet --board $board --nodes 6 --for 60s --log-interface "kit/leach.c,$work/leach.interface=$work/%id.ilog" \
            --monitor "interface:of=kit/leach.c,describe=$work/leach.interface,format=jsonl,file=$work/node-%id" "$elf"
        expect_status 0
        count=$(overwritten "$work"/node-*)
        motet merge --json "$work"/[0-5].ilog
        expect_status 0
        merged=$(overwritten_in_merged "$work/out")
        case $kind in
        '') [ "$count" -eq 0 ] || fail "$elf: $count messages are overwritten, which the repaired firmware does not do" ;;
        *) [ "$count" -gt 0 ] || fail "$elf: the log should show the timer between send and sent, and another type" ;;
        esac
        [ "$merged" -eq "$count" ] || fail "$elf: the merged log shows $merged of $count messages that are overwritten"
    done
done
finish
