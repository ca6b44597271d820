#!/bin/sh
# usage: timeline.sh MOTET FIRMWARE; TELOSB is a firmware for that board, and LLDB the debugger for it
# A replayed log is a timeline like any other: gdb, lldb and Motet's own debugger go forward and backward in it and find the
# same states again; monitors, scripts and plots look on and change nothing.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 elf=$2

goes_down() { # "N N-1 N-2"
    # shellcheck disable=SC2086
    set -- $1
    [ $# = 3 ] && [ "$2" = $(($1 - 1)) ] && [ "$3" = $(($1 - 2)) ]
}

expect() { # WHAT PATTERN...: the patterns, one after the other
    what=$1
    shift
    from=1
    for pattern; do
        line=$(tail -n "+$from" "$work/out" | grep -n -m 1 -e "$pattern" | cut -d : -f 1)
        [ -n "$line" ] || {
            fail "$what: no '$pattern'"
            return
        }
        from=$((from + line))
    done
}

"$motet" run "$elf" --board micaz --for 1s --quiet --save-flash "$work/log" || exit 1
replay() { "$motet" replay "$work/log" --elf "$elf" --board micaz "$@" >"$work/out" 2>&1 </dev/null; }

# gdb: the last change of the variable, and the one before; forward again to where it was.
if command -v avr-gdb >/dev/null; then
    cat >"$work/commands" <<'.'
set height 0
break divide
ignore 1 3000
continue
delete
monitor history
print ticks
reverse-stepi 4000
stepi 4000
monitor history
watch ticks
reverse-continue
print ticks
reverse-continue
print ticks
delete
continue
kill
.
    replay --exec "avr-gdb -q -batch -x '$work/commands'"
    expect gdb 'Breakpoint 1, divide' 'digest' '\$1 = ' 'digest' 'Old value' 'ticks++' '\$2 = ' 'Old value' 'ticks++' '\$3 = ' \
        'the log ends'
    goes_down "$(sed -n 's/^\$[0-9] = \([0-9]*\).*/\1/p' "$work/out" | tr '\n' ' ')" || fail 'gdb: the variable does not go back'
    [ "$(sed -n 's/^digest \([0-9a-f]*\).*/\1/p' "$work/out" | sort -u | wc -l)" = 1 ] || fail 'gdb: back and forth it is another state'
fi

# The same by Motet's own debugger.
printf 'watch ticks\nseek 400ms\nwhen\nlast-write ticks\nreverse-continue\nprint ticks\nreverse-continue\nprint ticks\ncontinue\nprint ticks\nquit\n' |
    "$motet" replay "$work/log" --elf "$elf" --board micaz --line >"$work/out" 2>&1
expect line 'ticks was written at 0.39.*, at __vector_15' 'Old value' 'ticks++' 'Old value' 'ticks++' 'New value'
set -- $(sed -n 's/^ticks = \([0-9]*\)$/\1/p' "$work/out")
goes_down "$((${1:-0} + 1)) ${1:-0} ${2:-0}" && [ "$3" = "$1" ] || fail 'line: the variable does not go back, and forth again'

# Looking on changes nothing.
instructions() { sed -n 's/.*"instructions": \([0-9]*\).*/\1/p' "$work/out"; }
replay --json || fail 'replay'
alone=$(instructions)
replay --json --monitor profile:file="$work/profile" --monitor calls:file="$work/calls" || fail monitors
[ -n "$alone" ] && [ "$(instructions)" = "$alone" ] || fail "monitors: other instructions than $alone"
grep -q divide "$work/profile" || fail 'no profile'
replay --plot "ticks,file=$work/plot"
[ "$(grep -c 'ticks = ' "$work/plot")" -ge 200 ] || fail 'the plot has too few values'
cat >"$work/script.lua" <<'.'
local calls = 0
probe("divide", function() calls = calls + 1 end)
at_end(function() print("calls: " .. calls) end)
.
replay --script "$work/script.lua"
expect script 'calls: [0-9][0-9]'

if [ -n "$TELOSB" ] && [ -n "$LLDB" ]; then
    "$motet" run "$TELOSB" --board telosb --for 900s --quiet --save-flash "$work/log" || exit 1
    printf 'breakpoint set --name timer_interrupt\ncontinue\ncontinue\nbreakpoint delete --force\nregister read pc\nkill\nquit\n' >"$work/commands"
    "$motet" replay "$work/log" --elf "$TELOSB" --board telosb --exec "$LLDB --batch --source '$work/commands'" >"$work/out" 2>&1 </dev/null
    expect lldb 'stop reason = breakpoint 1.1' 'pc = 0x'
fi
finish
