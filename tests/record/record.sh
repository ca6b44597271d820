#!/bin/sh
# usage: record.sh MOTET FIRMWARE STEADY
# From a simulated node's flash through motet collect to motet replay, and what is said when something is wrong.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 elf=$2 steady=$3

expect() { # WHAT STATUS PATTERN COMMAND...
    what=$1 status=$2 pattern=$3
    shift 3
    "$@" >"$work/out" 2>&1
    got=$?
    if [ "$got" -ne "$status" ] || ! grep -q -e "$pattern" "$work/out"; then
        echo "$what: status $got (expected $status), and no '$pattern' in:"
        cat "$work/out"
        failures=$((failures + 1))
    fi
}

"$motet" run "$elf" --board micaz --for 1s --quiet --save-flash "$work/flash" || failures=1
expect collect 0 'pages of 264 bytes, 0 damaged' "$motet" collect "$work/flash" --output "$work/log"
expect 'collect a log' 0 '"damaged": 0, "blank": 0' "$motet" collect "$work/log" --json
expect replay 0 'the log ends after' "$motet" replay "$work/log" --elf "$elf" --board micaz
expect 'replay a flash' 0 '"differs": false' "$motet" replay "$work/flash" --elf "$elf" --board micaz --json
printf 'print ticks\nbreak main\ncontinue\nprint ticks\ncontinue\n' >"$work/commands"
expect 'the end, in the debugger' 0 'The replay is over: the log ends after' \
    sh -c '"$1" replay "$2/log" --elf "$3" --board micaz --line <"$2/commands"' sh "$motet" "$work" "$elf"
grep -q '^ticks = 0 <not in the log' "$work/out" && grep -q '^ticks = 0$' "$work/out" || # before start-up code, and after
    { echo "what is not in the log is not marked:" && cat "$work/out" && failures=1; }
expect 'no firmware' 2 'give it with --elf' "$motet" replay "$work/log"
expect 'no log' 2 'not one whole page' "$motet" replay "$elf" --elf "$elf" --board micaz
expect 'no file' 2 'cannot read' "$motet" collect "$work/none"
expect 'no such part' 2 'has no part 7' "$motet" replay "$work/log" --elf "$elf" --board micaz --part 7
expect 'other variables' 1 'variables at the start' "$motet" replay "$work/log" --elf "$elf" --board micaz --set motet_count=5

# A damaged page ends what can be used.
printf 'damaged' | dd of="$work/flash" bs=1 seek=300 conv=notrunc 2>/dev/null
expect 'damaged flash' 0 '1 damaged' "$motet" collect "$work/flash"
expect 'lost page' 0 'then a page is lost' "$motet" collect "$work/flash"
expect 'replay to the damage' 0 'the log ends after' "$motet" replay "$work/flash" --elf "$elf" --board micaz

# A log that has gone round in the flash, with checkpoints.
"$motet" run "$steady" --board micaz --for 4s --quiet --save-flash "$work/flash" || failures=1
expect 'overwritten' 0 'older ones were overwritten' "$motet" collect "$work/flash" --output "$work/log"
expect 'no beginning' 0 'its beginning is lost\|its checkpoint is not whole' "$motet" collect "$work/flash"
expect 'goes on' 0 'from a checkpoint.*goes on in part' "$motet" replay --list "$work/log"
expect 'list as JSON' 0 '"usable": true.*"next": ' "$motet" replay --list --json "$work/flash"
expect 'from the oldest checkpoint' 0 'the log ends after' "$motet" replay "$work/log" --elf "$steady" --board micaz
expect 'from the last' 0 'the log ends after' "$motet" replay "$work/log" --elf "$steady" --board micaz --part 1
expect 'from none' 2 'its beginning is lost' "$motet" replay "$work/flash" --elf "$steady" --board micaz --part 0

finish
