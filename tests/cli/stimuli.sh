# Pins driven and voltages applied from the command line; LEDs, pins, frames and resets traced.
. "$SOURCE/tests/lib/expect.sh"
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

# What the environment is like, by name. 314 mV at 25 degrees and 1.1 mV a degree, in steps of 1.1 V / 1024.
sensing=$FIRMWARE/cli-sensing.elf
sensed() { # EXPECTED OPTION...
    expected=$1
    shift
    motet run --quiet --for 50ms "$@" "$sensing" </dev/null
    expect_status 0
    [ "$(cat "$work/out")" = "$expected" ] || fail "the sensor should show $expected"
}
sensed 292
sensed 292 --sense temperature=25C
sensed 353 --sense temperature=85
sensed 225 --sense temperature=-40C
printf '0s -40C\n1ms 85C\n' >"$work/warming"
sensed 225 --sense "temperature=file:$work/warming"
motet run --sense light=300lux "$sensing"
expect_status 2
expect_err "--sense: atmega328p does not sense 'light'; it senses temperature (C)"
if [ -f "$FIRMWARE/base-station-telosb.elf" ]; then
    motet run --board telosb --sense wind=3 "$FIRMWARE/base-station-telosb.elf"
    expect_status 2
    expect_err "--sense: telosb does not sense 'wind'; it senses temperature (C), humidity (%), light (lux)"
fi
motet run --sense temperature=3V "$sensing"
expect_status 2
expect_err "'3V' is not an amount of temperature; write it like 25C"
motet run --sense temperature "$sensing"
expect_status 2
expect_err "'temperature' is not QUANTITY=VALUE, such as temperature=25C or light=file:PATH"
motet run --analog 9=2V "$sensing"
expect_status 2
expect_err "--analog: atmega328p has no analog channel 9; it has 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19"
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
