# An interface log that is switched off and on while the node runs: by a byte over the serial port, and by the firmware. It begins
# anew with the component's variables, so that a replay goes over the stretch that is not there.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/logged-switched-micaz-serial.elf" ] || { echo "skipped: there is no libclang"; exit 0; }

# The same byte again and again, until the node has obeyed: while it sleeps its port is off.
row() { awk -v byte="$2" -v at="$1" 'BEGIN { printf "%s", at; for (i = 0; i < 6000; i++) printf " %s", byte; print "" }'; }
{ row 3s f0; row 5s fc; } > "$work/commands"
for board in micaz telosb; do
    port=$([ $board = micaz ] && echo 0 || echo 1)
    for kind in serial flash itself; do
        elf=$FIRMWARE/logged-switched-$board-$kind.elf
        [ -e "$elf" ] || continue
        commands=$([ $kind = itself ] && echo file: || echo "timed:$work/commands")
        motet run --quiet --board $board --for 8s --serial "$port=$commands,$work/serial" --save-flash "$work/flash" "$elf"
        expect_status 0
        motet collect --elf "$elf" --board $board --output "$work/log" --json "$work/$([ $kind = flash ] && echo flash || echo serial)"
        jq -e '.missing == 0 and .lost < 40' "$work/out" >/dev/null || fail "$elf: the log should be whole"
        motet replay --board $board --elf "$elf" --json "$work/log"
        # 500 times in 8 s two calls, of six events in all, for 6 s of them.
        jq -e '.differs == false and .events > 1950 and .events < 2550 and (.end | startswith("the log ends"))' "$work/out" >/dev/null ||
            fail "$elf: the replay should be exact, without what was off"
        motet merge "$work/log"
        [ "$(grep -c 'logging begins' "$work/out")" -eq 2 ] || fail "$elf: logging should begin twice"
    done
done
motet cc --log-interface meter.c --log-switch later -- avr-gcc -c x.c
expect_complaint "'later': an interface log begins on or off"
finish
