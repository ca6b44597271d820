# blink: the first change of an LED comes at its time, but for what the start takes, and all others within half a
# millisecond of theirs, for 20 s, so the timers do not drift; and the CPU sleeps nearly all of the time.
. "$SOURCE/tests/lib/expect.sh"

for board; do
    millisecond=1024 clock=7372800
    leds='led red,led green,led yellow'
    case $board in
    uno) clock=16000000 millisecond=1000 leds='pin PB5,pin PB4,pin PB3' ;;
    telosb) clock=4194304 leds='led red,led green,led blue' ;;
    nrf52840dk) clock=64000000 leds='led LED1,led LED2,led LED3' ;;
    cc2538dk) clock=32000000 leds='led LED1,led LED2,led LED3' ;;
    esac
    for variant in "" -checked; do
        motet run --board "$board" --for 20.2s --quiet --json --trace leds,pins "$FIRMWARE/blink-$board$variant.elf" </dev/null
        expect_status 0
        awk -v per_second=$millisecond -v leds="$leds" '
            BEGIN { count = split(leds, names, ",") }
            $1 > 0.1 {
                for (i = 1; i <= count; i++)
                    if ($2 " " $3 == names[i]) {
                        late = $1 - ++changes[i] * 250 * 2 ^ (i - 1) / per_second
                        if (first == "") first = late
                        if (first < 0 || first > 0.01 || late < first - 0.0002 || late > first + 0.0005) { print "change", changes[i], "of", $3, "late by", late; bad = 1 }
                    }
            }
            END {
                for (i = 1; i <= count; i++)
                    if (changes[i] != int(20.2 * per_second / (250 * 2 ^ (i - 1)))) { print names[i], changes[i]; bad = 1 }
                exit bad
            }' "$work/err" || fail "the LEDs should change on time"
        jq -e ".nodes[0].cycles < .time * $clock * 0.025" "$work/out" >/dev/null || fail "the CPU should sleep"
    done
done

# On the Uno the 32 bits of ticks overflow after 4 h 46 min.
motet run --board uno --for 5h --quiet --trace leds "$FIRMWARE/blink-uno.elf" </dev/null
awk '{ late = $1 - NR * 0.25; if (late < 0 || late > 0.0002) bad = 1 } END { exit bad || NR != 71999 }' "$work/err" ||
    fail "the first LED should go on as the ticks overflow"
finish
