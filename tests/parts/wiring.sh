# Parts whose file, table or wiring is wrong are refused in one sentence, with status 2, before anything runs.
. ../lib/expect.sh
legs=PB0,PB1,PD4,spi0,i2c0,serial0,analog0
every() { motet run --board uno --for 1ms --part "$@" "$FIRMWARE/parts-every.elf"; }

# ---- files and tables ----
while read -r defect sentence; do
    every "$PARTS/wrong-$defect.so:$legs"
    expect_complaint "the part $PARTS/wrong-$defect.so $sentence"
done <<'END'
version was made for version 7 of the interface, and this is version 1; compile it anew
size has a table of 24 bytes, and this version has
name has no name of up to 24 letters, digits, - and _
list says that it has 3 legs, but has no list of them
legs has 40 legs, and a part has at most 16
state has a state of 18446744073709551615 bytes, and a part has at most 65536
timers has 1000 timers, and a part has at most 8
function has a leg 'in' but no function pin for it
timer has 2 timers but no function timer for them
twice has two legs called 'two'
unit senses 'light' but does not say in which unit
kind has a leg 'light' of kind 99, which is none
parameter has a parameter 'scale' that is usually 5, which is not from -4 to 4
variable has a variable 'calls' that can change; snapshots would not hold it
local has a variable 'counted.0' that can change
thread has a variable 'calls' that can change
table has a variable 'motet_part' that can change
time calls time, which the node's state and seed do not determine; use motet_part_now
memory calls malloc, which the node's state and seed do not determine; put what changes into the part's state
none has no table motet_part; see docs/parts.md
END
every "$PARTS/every-stripped.so:$legs"
expect_complaint "is stripped, so its variables cannot be checked"
every "$PARTS/nothing.so:$legs"
expect_complaint "the part $PARTS/nothing.so cannot be read: No such file or directory"
every "$FIRMWARE/parts-every.elf:$legs"
expect_complaint "is not a shared object; cc -shared -fPIC makes one"
every "$work:$legs"
expect_complaint "the part $work cannot be read, or is not a shared object"
: >"$work/empty.so"
every "$work/empty.so:$legs"
expect_complaint "the part $work/empty.so"

# A file that ends too early, at many places, is refused too.
size=$(wc -c <"$PARTS/every.so")
at=1
while [ "$at" -lt "$size" ]; do
    head -c "$at" "$PARTS/every.so" >"$work/cut.so"
    every "$work/cut.so:$legs"
    expect_complaint "the part $work/cut.so"
    at=$((at + size / 40 + 1))
done

# ---- legs and parameters ----
while read -r wiring sentence; do
    [ "$wiring" = - ] && wiring=
    every "$PARTS/every.so:$wiring"
    expect_complaint "$sentence"
done <<'END'
- is not told where its leg 'in' goes; its legs are in (pin), out (pin), wire (pin), bus (SPI bus), two (I2C bus)
PB0 is not told where its leg 'out' goes
PB0,spi0,PB1 wants a pin for its leg 'out', and spi0 is an SPI bus; in order its legs are in (pin), out (pin)
PB0,PB1,PD4,i2c0,spi0 wants an SPI bus for its leg 'bus', and i2c0 is an I2C bus
PB0,PB1,PD4,PB3 wants an SPI bus for its leg 'bus', and PB3 is a pin
PZ1 wants a pin for its leg 'in', and atmega328p has no pin 'PZ1'
PB0,PB1,PD4,spi wants an SPI bus such as spi0 for its leg 'bus', and 'spi' is none
PB0,PB1,PD4,spi99999999999999999999 wants an SPI bus such as spi0
PB0,PB1,PD4,spi3,i2c0,serial0,analog0 the part every is on SPI bus 3, which atmega328p does not have
PB0,PB1,PD4,spi0,i2c1,serial0,analog0 the part every is on I2C bus 1, which atmega328p does not have
PB0,PB1,PD4,spi0,i2c0,serial1,analog0 the part every is on serial port 1, which atmega328p does not have
PB0,PB1,PD4,spi0,i2c0,serial7,analog0 wants a serial port such as serial0 for its leg 'line', and 'serial7' is none
PB0,PB1,PD4,spi0,i2c0,serial0,analog29 the part every is on analog line 29, which atmega328p does not have
PC7,PB1,PD4,spi0,i2c0,serial0,analog0 the part every has pin 7 of port C, which the chip does not have
PB0,PB1,PD4,spi0,i2c0,serial0,analog0,PB7 has no leg for PB7
PB0,PB1,PD4,spi0,i2c0,serial0,analog0,in=PB3 is given two places for its leg 'in'
in=PB0,PB1 is given two places for its leg 'in'
PB0,,PB1 is wired by places such as PB2,spi0, and ',PB1' is none
PB0,PB1,PD4,spi0,i2c0,serial0,analog0,step=x has a parameter 'step': 'x' is not a number
PB0,PB1,PD4,spi0,i2c0,serial0,analog0,step=-1 takes a 'step' from 0 to 1000000, not -1
PB0,PB1,PD4,spi0,i2c0,serial0,analog0,scale=-5 takes a 'scale' from -4 to 4, not -5
PB0,PB1,PD4,spi0,i2c0,serial0,analog0,light=1 has neither a leg nor a parameter 'light'
END
every "9:$PARTS/every.so:$legs"
expect_complaint "--part: there is no node 9; the only node is 0"

# ---- pins that are driven already ----
every "$PARTS/every.so:$legs" --part "$PARTS/loop.so:PB4,PB4,PB1"
expect_complaint "the part inverter drives PB1, which every drives already"
every "$PARTS/loop.so:PB4,PB4,PB1" --part "$PARTS/loop.so:PB0,PB0,PB1"
expect_complaint "the part inverter 2 drives PB1, which inverter drives already"
every "$PARTS/every.so:$legs" --part "$PARTS/every.so:PB0,PB2,PD5,spi0,i2c0,serial0,analog0"
expect_complaint "the part every 2 has analog line 0, which another has already"
every "$PARTS/every.so:$legs" --drive PB1=1
expect_complaint "--drive: the part every drives PB1 already"
motet run --board telosb --for 1ms --part "$PARTS/loop.so:P2.0,P2.0,P4.1" "$FIRMWARE/parts-weather-telosb.elf"
expect_complaint "the part inverter drives P4.1, which radio drives already"

# ---- as many as there may be ----
set --
while [ $# -lt 66 ]; do set -- --part "$PARTS/display.so:spi0,PB2,PB1,PB0" "$@"; done
motet run --board uno --for 1ms "$@" "$FIRMWARE/parts-every.elf"
expect_complaint "a board takes at most 32 parts from outside"

# ---- scenarios ----
scenario() { # VALUE OF parts
    printf 'node{ firmware = "%s", board = "uno", parts = %s }\nrun_for(0.001)\n' "$FIRMWARE/parts-every.elf" "$1" \
        >"$work/s.lua"
    motet run "$work/s.lua"
}
scenario '7'
expect_complaint "'parts' must be a list of"
scenario '{7}'
expect_complaint "'parts' must be a list of texts"
scenario '{"nothing.so:PB0"}'
expect_complaint "the part $work/nothing.so cannot be read"
scenario "{\"$PARTS/loop.so:PB0,PB0,PB1\"}, x = 0"
expect_status 0
motet run "$work/s.lua" --part "$PARTS/loop.so:PB0,PB0,PB1"
expect_complaint "says for itself which parts the boards have"
printf 'at(0, function() drive(0, "PB1", "high") end)\n' >>"$work/s.lua"
motet run "$work/s.lua"
expect_status 2
expect_err "the part inverter of node 0 drives PB1 already"
finish
