# Pins driven and voltages applied from the command line; LEDs, pins, frames and resets traced.
. "$SOURCE/tests/cli/expect.sh"
watcher=$FIRMWARE/cli-watcher.elf

run() { # EXPECTED ARGUMENTS...
    expected=$1
    shift
    motet run --quiet --for 50ms "$@" "$watcher" </dev/null
    expect_status 0
    [ "$(tr '\n' ';' <"$work/out")" = "$expected" ] || fail "the firmware should report $expected"
}

run '0 80;1 80;0 80;' --analog 0=2.5V --drive PD2=1@10ms --drive PD2=0@20ms
run '0 80;1 80;0 80;' --analog 0=2500mV --drive PD2=0@20ms --drive PD2=1@10ms
run '1 00;' --analog 0=0 --drive PD2=up
run '1 00;0 00;' --analog 0=0 --drive PD2=1 --drive PD2=z@30ms
run '0 ff;' --analog 0=6V
printf '# a step\n0s 0V\n15ms 5V\n' >"$work/samples"
run '0 00;1 00;0 ff;' --analog "0=file:$work/samples" --drive PD2=1@10ms --drive PD2=0@20ms
# A sine of 25 Hz: just past its middle, at its top, its middle, its bottom.
run '0 82;1 ff;0 7f;1 00;' --analog 0=sine:0V:5V:25Hz --drive PD2=1@9.9ms --drive PD2=0@20ms --drive PD2=1@29.9ms

# A script says what is on an input, and which line of it is wrong.
echo 'function volts(channel, seconds) return seconds < 0.015 and 2.5 or 0 end' > "$work/step.lua"
run '0 80;1 80;0 00;' --analog "0=script:$work/step.lua" --drive PD2=1@10ms --drive PD2=0@20ms
printf 'function volts(channel, seconds)\n    count = 1\nend\n' > "$work/remembers.lua"
motet run --analog "0=script:$work/remembers.lua" --for 50ms "$watcher"
expect_status 2
expect_err "remembers.lua:2: volts() assigns to the global 'count'; it must not remember anything"

motet run --board uno --trace leds "$FIRMWARE/cli-hello.elf" </dev/null
grep -qE '^ +0\.00[0-9]{7} led L on$' "$work/err" || fail "the LED should go on"
grep -qE '^ +0\.00[0-9]{7} led L off$' "$work/err" || fail "the LED should go off"
expect_not_in_err "pin PB5"
motet run --board uno --trace pins,serial "$FIRMWARE/cli-hello.elf" </dev/null
grep -qE '^ +0\.00[0-9]{7} pin PB5 1$' "$work/err" || fail "pin PB5 should go high"
grep -qE "^ +0\.00[0-9]{7} serial 0 0x68 'h'$" "$work/err" || fail "the first frame should be an h"
grep -qE "^ +0\.00[0-9]{7} serial 0 0x0a$" "$work/err" || fail "the last frame should be a newline"
expect_not_in_err "led L"

# An LED to the supply goes on and off with the direction of its pin.
motet run --board micaz --for 45ms --trace leds "$FIRMWARE/cli-open-drain.elf" </dev/null
[ "$(grep -o 'led red o[nf]*' "$work/err" | tr '\n' ';')" = "led red on;led red off;led red on;led red off;led red on;" ] ||
    fail "the LED should go on, off, on, off, on"

finish
