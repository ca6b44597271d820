# A firmware with two components, of which one at a time is logged: which one changes while the node runs, by a byte over the
# serial port or by the firmware. What was logged of each becomes a log of its own, and begins with the component's
# variables each time that it becomes the target: so replays are exact over the stretches that are not there.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/logged-targets-micaz-serial.elf" ] || { echo "skipped: there is no libclang"; exit 0; }

# The same byte again and again, until the node has obeyed: while it sleeps its port is off.
row() { awk -v byte="$2" -v at="$1" 'BEGIN { printf "%s", at; for (i = 0; i < 6000; i++) printf " %s", byte; print "" }'; }
{ row 2s f8; row 5s fe; } > "$work/commands"

refused() { # SENTENCE
    expect_status 2
    expect_err "$1"
}
collected() { # TARGET LOG LEAST MOST
    motet collect --elf "$elf" --board $board --target "$1" --output "$work/$2" --json "$work/$wrote"
    expect_status 0
    jq -e '.missing == 0 and .lost < 40' "$work/out" >/dev/null || fail "$elf: the log of $1 should be whole"
    motet replay --board $board --elf "$elf" --json "$work/$2"
    expect_status 0
    jq -e ".differs == false and .events > $3 and .events < $4 and (.end | startswith(\"the log ends\"))" "$work/out" >/dev/null ||
        fail "$elf: the replay of $1 should be exact"
    motet merge --json "$work/$2"
    cp "$work/out" "$work/events"
}
has() { jq -es "[.[] | select(.what | strings | test(\"$1\"))] | length $2" "$work/events" >/dev/null || fail "$elf: $1 should be there $2 times"; }

for board in micaz telosb; do
    port=$([ $board = micaz ] && echo 0 || echo 1)
    for kind in serial flash itself; do
        elf=$FIRMWARE/logged-targets-$board-$kind.elf
        [ -e "$elf" ] || continue
        commands=$([ $kind = itself ] && echo file: || echo "timed:$work/commands")
        wrote=$([ $kind = flash ] && echo flash || echo serial)
        motet run --quiet --board $board --for 8s --serial "$port=$commands,$work/serial" --save-flash "$work/flash" "$elf"
        expect_status 0
        collected meter.c meter.ilog 1250 1700 # 5 of 8 s
        has 'logging begins' '== 2'
        has scale_weigh '== 0'
        collected 1 scale.ilog 900 1400 # 3 s
        has 'logging begins' '== 1'
        has scale_weigh '> 80'
        has meter_add '> 80'
        [ "$board" = telosb ] || cp "$work/scale.ilog" "$work/micaz.ilog"
    done
done

# Mistakes.
elf=$FIRMWARE/logged-targets-micaz-serial.elf
motet collect --elf "$elf" --board micaz --output "$work/x.ilog" "$work/serial"
expect_complaint "logs one of the components meter.c:scale.c at a time; choose one with --target"
motet collect --elf "$elf" --board micaz --target valve.c --output "$work/x.ilog" "$work/serial"
expect_complaint "'valve.c' is none of them"
motet replay --board micaz --elf "$elf" --native "$work/scale.ilog"
expect_complaint "but the interface log was made by build"
motet replay --board micaz --elf "$FIRMWARE/logged-targets-micaz-itself.elf" --native "$work/micaz.ilog"
expect_complaint "logs one of several components at a time: their logs are replayed in the simulator alone"
cd "$work" || exit 1
printf 'void b(void); void a(void) { b(); }\n' >a.c
printf 'int x; void c(void); void b(void) { x++; c(); }\n' >b.c
printf '#include <avr/sleep.h>\nvoid a(void); void c(void) { sleep_mode(); } int main(void) { for (;;) a(); }\n' >main.c
set -- avr-gcc -mmcu=atmega328p -gdwarf-4 -Os a.c b.c main.c -o bad.elf
motet cc --log-interface a.c:b.c -- "$@"
refused "a of a component can sleep, by the calls c+"
motet cc --log-interface a,x.c:a.c -- "$@"
refused "this source has code of 'a,x.c' and of 'a.c', and one component at a time is logged"
motet cc --log-interface a.c:b.c:c.c:d.c:e.c -- "$@"
refused "has more than 4 components"
motet cc --log-interface a.c: -- "$@"
refused "a piece is empty"
motet cc --replay-interface a.c:b.c -- "$@"
refused "a node replays one component"
[ ! -e bad.elf ] || fail "a program that is refused should not stay"
finish
