# At a terminal: keys reach the firmware unechoed, faults are coloured, and the terminal is given back.
. "$SOURCE/tests/lib/expect.sh"
: >"$work/out"
: >"$work/err"
status=-

until_there() { # COMMAND...: waits until it succeeds or the command at the terminal has ended
    until "$@" || [ -e "$work/ended" ]; do sleep 0.05; done
}

# What the terminal shows is in $work/out, all of it: the last word is waited for. Keys are pressed after the prompt;
# before, the terminal echoes them.
last_word="echo ENDED; until grep -q ENDED \"$work/out\"; do sleep 0.05; done"
at_terminal() { # KEYS COMMAND
    command="at a terminal: $2"
    rm -f "$work/ended"
    : >"$work/out"
    { [ -z "$1" ] || until_there grep -q '> ' "$work/out"; printf '%s' "$1"; until_there false; } |
        { timeout 300 socat -t 2 - "SYSTEM:$2; $last_word; : >\"$work/ended\",pty,setsid,ctty,stderr"; : >"$work/ended"; } \
            >"$work/out" 2>"$work/err"
}

# Echoed keys would be in small letters.
at_terminal "keys." "\"$MOTET\" run --quiet \"$FIRMWARE/cli-echo.elf\""
expect_out "> KEYS."
expect_not_in_out "keys"

# stty tells whether the terminal is as it was.
at_terminal "x." "stty -a >\"$work/before\"; \"$MOTET\" run --quiet \"$FIRMWARE/cli-echo.elf\"; stty -a >\"$work/after\""
[ -s "$work/before" ] || fail "stty should say something"
cmp -s "$work/before" "$work/after" || fail "the terminal should be as it was"
at_terminal "$(printf 'a\003')" "trap true INT; stty -a >\"$work/before\"; \"$MOTET\" run --quiet \"$FIRMWARE/cli-echo.elf\"; echo status \$? >\"$work/status\"; stty -a >\"$work/after\""
cmp -s "$work/before" "$work/after" || fail "the terminal should be as it was after Ctrl-C"
[ "$(cat "$work/status")" = "status 0" ] || fail "Ctrl-C should end the run normally"

escape=$(printf '\033')
at_terminal "" "\"$MOTET\" run --quiet \"$FIRMWARE/fault-null_write.elf\""
expect_out "${escape}[1;31mnull pointer write"
at_terminal "" "NO_COLOR=1 \"$MOTET\" run --quiet \"$FIRMWARE/fault-null_write.elf\""
expect_out "motet: null pointer write"
expect_not_in_out "$escape"

finish
