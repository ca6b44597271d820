# Parts from outside at work: pins, SPI, I2C, serial, analog, timers, quantities; on both families of chips.
. ../lib/expect.sh
uno() { time=$1; shift; motet run --quiet --board uno --for "$time" --serial 0=null "$@"; }
legs=PB0,PB1,PD4,spi0,i2c0,serial0,analog0

# ---- the examples ----
uno 1s --trace parts --sense temperature=sine:15C:35C:1 \
    --part "$PARTS/display.so:spi0,PB2,PB1,PB0" --part "$PARTS/thermometer.so:i2c0,PD2" "$FIRMWARE/parts-weather.elf"
expect_status 0
expect_err "part display |                |                |"
expect_err "part display | 34.5 C         |too warm        |"
expect_err "part display | 15.4 C         |                |"
uno 300ms --trace parts --sense temperature=-7.5C --set address=0x4a \
    --part "$PARTS/display.so:busy=PB0,data=PB1,select=PB2,bus=spi0" \
    --part "$PARTS/thermometer.so:i2c0,PD2" --part "$PARTS/thermometer.so:i2c0,PD3,address=0x4a" \
    "$FIRMWARE/parts-weather.elf"
expect_err "part display |-07.5 C"
motet run --quiet --board telosb --for 200ms --trace parts --sense temperature=23C \
    --part "$PARTS/display.so:spi0,P2.0,P2.1,P2.3" --part "$PARTS/thermometer.so:i2c0,P2.6" \
    "$FIRMWARE/parts-weather-telosb.elf"
expect_status 0
expect_err "part display |23 C            |"
motet run --board uno --for 1ms --sense humidity=50% \
    --part "$PARTS/thermometer.so:i2c0,PD2" "$FIRMWARE/parts-weather.elf"
expect_status 2
expect_err "temperature" # what there is to sense

# ---- every kind of leg ----
uno 2ms --trace parts --part "$PARTS/every.so:$legs" "$FIRMWARE/parts-every.elf"
expect_status 0
for text in "wrong 32" "right 24" "taken 40" "refused 48" "out changed 1" "exchanged 1" "echoed 66" "echoed 67" \
    "volts 143" "wire 0" "wire 1"; do
    expect_out "$text"
done
expect_err "part every stop.[31m" # control characters of a part do not reach the terminal
uno 2ms --part "$PARTS/every.so:$legs,scale=4" "$FIRMWARE/parts-every.elf"
expect_out "volts 286"
uno 2ms --part "$PARTS/every.so:$legs" --analog 0=2.5V "$FIRMWARE/parts-every.elf"
expect_out "volts 512" # what the user gives goes first

# ---- looking on ----
cat >"$work/script.lua" <<'END'
hook("part", function(h) print(h.name .. " says " .. h.report) end)
END
uno 1ms --script "$work/script.lua" --part "$PARTS/every.so:$legs" "$FIRMWARE/parts-every.elf"
expect_status 0
expect_err "every says stop"
# What a part reports is no state of a component, also if it has the name of one.
uno 2ms --monitor energy --part "$PARTS/every-flash.so:$legs" "$FIRMWARE/parts-every.elf"
expect_status 0
expect_out "cpu"
expect_not_in_out "stop"

# ---- what a part does that its table does not have, and what has no end ----
uno 2ms --part "$PARTS/every-misused.so:$legs" "$FIRMWARE/parts-every.elf"
expect_status 0
expect_err "every (part from outside): it drives a leg that its table does not have as an output"
uno 2ms --part "$PARTS/every-beyond.so:$legs" "$FIRMWARE/parts-every.elf"
expect_status 0
expect_err "every (part from outside): it has written beyond the end of its state"
uno 2ms --part "$PARTS/loop.so:PB0,PB0,PC0" --part "$PARTS/loop.so:PC0,PC0,PC1" \
    --part "$PARTS/loop.so:PC1,PC1,PC2" "$FIRMWARE/parts-every.elf"
expect_status 0
expect_no_err # a chain has an end
uno 2ms --part "$PARTS/loop.so:PC0,PB0,PC1" --part "$PARTS/loop.so:PC1,PB0,PC2" \
    --part "$PARTS/loop.so:PC2,PB0,PC0" "$FIRMWARE/parts-every.elf"
expect_status 0
expect_err "pins change each other without end while no time passes; let a timer change the pin"
uno 2ms --part "$PARTS/loop.so:PB0,PB0,PC0,crash=1" "$FIRMWARE/parts-every.elf"
expect_status 2
expect_err "the part $PARTS/loop.so crashed in its callback invert: it used memory that is not there"
finish
