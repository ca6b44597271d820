# --json: one line that a parser takes, with everything in it; and the digest, which looking does not change.
. "$SOURCE/tests/lib/expect.sh"

check() { # JQ-CONDITION
    tail -n 1 "$work/out" | jq -e "$1" >"$work/jq" || fail "the JSON line should satisfy $1"
}

motet run --board uno --json "$FIRMWARE/cli-hello.elf" </dev/null
expect_status 0
check '.seed == 0 and (.nodes | length) == 1 and .transmissions == 0 and .checks_failed == 0'
check '.nodes[0] | .id == 0 and .board == "uno" and .chip == "atmega328p" and .hz == 16000000'
check '.exit_reason == "exit" and .exit_status == 0 and .faults == 0'
check '.nodes[0] | .exit_reason == "exit" and .exit_status == 0 and .resets == 0 and .faults == 0 and .fault == null'
check '.time > 0.001 and .time < 0.1 and .nodes[0].cycles > 16000 and .instructions > 1000 and .wall_time >= 0'
check '(.digest | test("^[0-9a-f]{32}$")) and .instructions == .nodes[0].instructions'
check '(.time * .nodes[0].hz - .nodes[0].ticks | fabs) < 1'
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "there should be the firmware's line and the JSON line"

check '.nodes[0].cycles < .instructions * 4' # and none of the time in which the port sends the rest after the end

motet run --json "$FIRMWARE/cli-status.elf" </dev/null
expect_status 3
check '.exit_status == 7 and .nodes[0].exit_status == 7'

motet run --json "$FIRMWARE/cli-echo.elf" --for 10ms </dev/null
expect_status 0
check '.exit_reason == "time"' # the prompt has no newline, the JSON line begins one

motet run --json --quiet "$FIRMWARE/fault-null_write.elf" </dev/null
expect_status 1
check '.exit_reason == "fault" and .faults == 1 and .nodes[0].fault.kind == "null-write" and .nodes[0].fault.value == 66'
check '.nodes[0].fault.address == 1 and (.nodes[0].fault.place | startswith("update+0x"))'
check '.nodes[0].fault.explanation | contains("main+0x")'

cp "$FIRMWARE/cli-hello.elf" "$work/a \"quoted\" \\ $(printf '\377\001') name.elf"
motet run --json "$work/a \"quoted\" \\ $(printf '\377\001') name.elf" </dev/null
check '.nodes[0].firmware | endswith("name.elf")'

# The same members for one node and for many; what differs between nodes is in the list.
members() { tail -n 1 "$work/out" | jq -c '[keys_unsorted, (.nodes[] | keys_unsorted)] | unique'; }
motet run --json --quiet "$FIRMWARE/cli-status.elf" </dev/null
one=$(members)
motet run --json --quiet --nodes 3 "$FIRMWARE/cli-status.elf"
expect_status 3
[ "$one" = "$(members)" ] || fail "one node and three should have the same members"
check '[.nodes[].id] == [0, 1, 2] and .exit_status == 7 and .exit_reason == "exit" and .faults == 0'
check '.instructions == ([.nodes[].instructions] | add) and all(.nodes[]; .exit_status == 7 and .fault == null)'
check '.nodes | all(.cycles < .instructions * 4)'
motet run --json --quiet --nodes 2 --boot 0:0s --boot 1:1ms "$FIRMWARE/fault-null_write.elf"
expect_status 1
check '.exit_reason == "fault" and .nodes[0].fault.kind == "null-write" and .nodes[0].exit_reason == "fault"'
check '.time == .nodes[0].fault.time or (.time - .nodes[0].fault.time | fabs) < 0.000001'

motet boards --json
jq -e 'map(.name) | index("uno") != null and index("atmega128") != null' "$work/out" >"$work/jq" || fail "boards --json"

# The same run has the same digest with any observers; another seed or input has another.
digest() {
    motet run --board uno --json --quiet --for 300ms "$@" </dev/null
    tail -n 1 "$work/out" | jq -r .digest
}
plain=$(digest "$FIRMWARE/cli-forever.elf")
for options in "--trace leds,pins,serial,resets" "--fault warn" "--serial 0=null" "--digest" "--realtime" \
    "--serial 0=file:$FIRMWARE/cli-hello.elf"; do
    # shellcheck disable=SC2086
    other=$(digest $options "$FIRMWARE/cli-forever.elf")
    case $options in
    *file:*) [ "$plain" != "$other" ] || fail "input should change the digest" ;;
    *) [ "$plain" = "$other" ] || fail "$options should not change the digest ($plain, $other)" ;;
    esac
done
motet run --for 300ms --board uno --digest "$FIRMWARE/cli-forever.elf" </dev/null
expect_err "motet: digest $plain"

finish
