# What comes from outside: voltages of sensors from a given set, what a host sends to a serial port, and interrupts of one
# device held longer than others.
. "$SOURCE/tests/lib/expect.sh"
check() { motet check --board uno --steady 100ms --length 500ms --walks 16 --save "$work/found.motet" "$@"; }
replays() {
    motet check --replay "$work/found.motet" --json
    expect_status 1
    expect_out '"same": true'
    cp "$work/out" "$work/replayed"
    motet open --verify "$work/found.motet"
    expect_status 0
}
sensor=$FIRMWARE/check-sensor.elf

check "$sensor"
expect_status 0
check --sense 0=0,2.5,5 "$sensor"
expect_status 1
expect_out "departs from the plain run 2 times"
expect_out "node 0  analog line 0 reads 5.000 V"
expect_out "main"
replays
check --sense 0=0V,5V "$sensor" # the one in the middle is missing
expect_status 0
check --sense 1=2.5,5 "$sensor" # another line
expect_status 0
check --sense 0:0=5,2.5 --deviations 2 --length 5ms "$sensor"
expect_status 1
expect_out "departs from the plain run 2 times"
replays

for workers in 1 3; do # all ways of the first conversions
    check --sense 0=2.5,5 --depth 4 --length 5ms --as-found --workers $workers "$sensor"
    expect_status 1
    expect_out "found among all ways of the first 4 frames and conversions; the environment departs from the plain run 2 times"
    cp "$work/out" "$work/depth-$workers"
done
cmp -s "$work/depth-1" "$work/depth-3" || fail "three workers should find the same"
replays
check --sense 0=1,5 --depth 4 --length 5ms "$sensor"
expect_status 0
expect_out "no violation whatever becomes of the first 4 frames and conversions"

# A conversion takes 104 us; 200 us more are not enough to reach the next millisecond.
check --as-found --hold adc=950us "$sensor"
expect_status 1
expect_out "an interrupt of adc is held for 9"
expect_out "trap at __vector_14"
replays
check --hold timer0=500us --hold adc=0us "$sensor"
expect_status 0

# Voltages that a scenario gives at its times are there in every walk, also on a node that is switched on later.
analog() { # VOLTS-AT-150-MS VOLTS-AT-200-MS
    cat >"$work/analog.lua" <<END
local n = node { firmware = "$sensor", board = "uno" }
at(0.15, function() analog(n, 0, $1) end)
at(0.2, function() analog(n, 0, $2) end)
run_for(0.5)
END
    motet check --steady 100ms --length 500ms --walks 8 --late 40ms --save "$work/found.motet" "$work/analog.lua"
}
analog 2.5 3
expect_status 0
analog 2.5 5
expect_status 1
expect_out "trap at main"
replays
[ "$(jq '.at > 0.2 and .at < 0.21' "$work/replayed")" = true ] || fail "the error should come with the voltage"

# A host that sends only good packets: one that is damaged on the line locks a buffer for ever.
serial() { # VARIANT OPTIONS...
    sed "s|\.elf\" }|$1.elf\" }|; s|firmware = \"|firmware = \"$FIRMWARE/|" "$SOURCE/examples/checking/serial.lua" \
        >"$work/serial.lua"
    shift
    motet check --save "$work/found.motet" "$@" "$work/serial.lua"
}
serial "" --walks 20
expect_status 0
serial -serial-unlock
expect_status 1
expect_out "of what the host sends to port 0 is damaged (the critical transition)"
replays
serial -serial-unlock --weight serial=0 --walks 10
expect_status 0
serial -serial-unlock --deviations 1 --length 6s
expect_status 1
expect_out "of what the host sends to port 0 is damaged"
replays
cat >"$work/end.lua" <<'END'
node{ board = board, firmware = "serial-test-" .. board .. ".elf" }
at(34.5, function() kill(1) end)
always("both live", function(net) return #net.nodes == 2 end)
END
for seed in 1 2 3 4 5 6 7 8 9; do # each of them comes up
    cat "$SOURCE/examples/checking/serial.lua" "$work/end.lua" | sed "s|firmware = \"|firmware = \"$FIRMWARE/|" \
        >"$work/serial.lua"
    motet check --as-found --seed $seed --walks 1 --weight serial=1 --weight reset=0 --weight power=0 --weight death=0 \
        --save "$work/found.motet" "$work/serial.lua"
    expect_out "the property 'both live' does not hold"
    replays
    motet open "$work/found.motet"
    cat "$work/out" >>"$work/all"
done
cp "$work/all" "$work/out"
for kind in earlier later "never comes" "is damaged"; do
    expect_out "$kind"
done

# What can be wrong: a sentence.
for wrong in 1 =1 1=x 1=1,,2 1:2:3=4 1=-1; do
    check --sense "$wrong" "$sensor"
    expect_complaint "--sense: '$wrong' is not [NODE:]LINE=VOLTS"
done
check --sense 7:1=0 "$sensor"
expect_complaint "there is no node 7"
check --sense 99=0 "$sensor"
expect_complaint "there is no analog line 99"
check --hold radio=1ms "$sensor"
expect_complaint "no node has interrupts of a device 'radio'"
check --hold timer0=2ms "$sensor"
expect_complaint "lose time"
check --weight serial=3 "$sensor"
expect_complaint "between 0 and 1"
finish
