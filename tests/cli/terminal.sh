# At a terminal: keys reach the firmware unechoed, faults are coloured, and the terminal is given back.
. "$SOURCE/tests/cli/expect.sh"
: >"$work/out"
: >"$work/err"
status=-

at_terminal() { # KEYS COMMAND: what the terminal shows is in $work/out (the sleep lets socat read it all)
    command="at a terminal: $2"
    { sleep 0.5; printf '%s' "$1"; sleep 0.5; } |
        timeout 60 socat -t 5 - "SYSTEM:$2; sleep 0.3,pty,setsid,ctty,stderr" >"$work/out" 2>"$work/err"
    status=$?
}

# Echoed keys would be in small letters.
at_terminal "keys." "\"$MOTET\" run --quiet \"$FIRMWARE/cli-echo.elf\""
expect_out "> KEYS."
expect_not_in_out "keys"

# stty tells whether the terminal is as it was.
at_terminal "x." "stty -a >$work/before; \"$MOTET\" run --quiet \"$FIRMWARE/cli-echo.elf\"; stty -a >$work/after"
[ -s "$work/before" ] || fail "stty should say something"
cmp -s "$work/before" "$work/after" || fail "the terminal should be as it was"
at_terminal "$(printf 'a\003')" "trap true INT; stty -a >$work/before; \"$MOTET\" run --quiet \"$FIRMWARE/cli-echo.elf\"; echo status \$? >$work/status; stty -a >$work/after"
cmp -s "$work/before" "$work/after" || fail "the terminal should be as it was after Ctrl-C"
[ "$(cat "$work/status")" = "status 0" ] || fail "Ctrl-C should end the run normally"

escape=$(printf '\033')
at_terminal "" "\"$MOTET\" run --quiet \"$FIRMWARE/fault-null_write.elf\""
expect_out "${escape}[1;31mnull pointer write"
at_terminal "" "NO_COLOR=1 \"$MOTET\" run --quiet \"$FIRMWARE/fault-null_write.elf\""
expect_out "motet: null pointer write"
expect_not_in_out "$escape"

finish
