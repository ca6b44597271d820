#!/bin/sh
# usage: kit.sh MOTET SOURCE NESC|-
# Slices of the kit's applications: levels, stops, chains, slices forward, lateness; and of a program of nesC.
set -u
motet=$1 kit=$2/firmware/kit apps=$2/firmware/apps nesc=$3
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
core="trap task timer board leds resource adc avr/start avr/uart avr/adc avr/clock_async"
radio="radio radio_power radio_phase random cc2420 avr/spi avr/micaz_radio collection route link trickle host serial_receive serial_send"
slice() { # APPLICATION PARTS OPTIONS...
    files="$apps/$1.c $(for part in $2; do echo "$kit/$part.c"; done)"; shift 2
    "$motet" slice $files --board micaz "$@" -- -I"$kit" -DBOARD_MICAZ -DF_CPU=7372800UL $flags
}
flags=
level() { jq -r --arg name "$1" '[.slice[] | select(.name == $name)][0] | .level' out; }

slice co2 "$core $radio" --invariant 'co2.c:sampled: missed == 0' --json > out || fail "co2"
[ "$(level sampled)" = 1 ] && [ "$(level fit)" = 3 ] && [ "$(level main)" = 3 ] || fail "co2: levels $(level sampled) $(level fit) $(level main)"
whole=$(jq .functions_in_slice out)
slice co2 "$core $radio" --invariant 'co2.c:sampled: missed == 0' --json $(for part in $radio adc; do echo "--stop-at $part.c"; done |
    sed 's,--stop-at [a-z0-9]*/,--stop-at ,') > out || fail "co2 with stops"
stopped=$(jq '[.slice[] | select(.kind != "stop")] | length' out)
[ "$stopped" -lt $((whole / 2)) ] || fail "co2: $stopped of $whole functions are left where the radio is a boundary"
slice co2 "$core $radio" --invariant 'co2.c:sampled: missed == 0' --why fit > why || fail "why"
grep -q 'co2.c:72: fit writes baseline$' why || { fail "why fit"; cat why; }
slice co2 "$core $radio" --forward co2.c:baseline --json > out || fail "forward"
[ "$(level sampled)" = null ] && jq -e '.slice | map(.name) | index("bytes_put16")' out > /dev/null || fail "forward: baseline is sent"
slice easy_collection "$core $radio" --invariant 'easy_collection.c:tick: number' --json > out || fail "easy-collection"
[ "$(level tick)" = 1 ] && [ "$(jq '.levels[:3] | map(.functions) | add' out)" -le 30 ] || fail "easy-collection: levels"

# A task that only delays is outside of every slice, and is found where the invariant is about time.
sed 's/^void app_start(void)$/static void slow(void) { for (volatile unsigned i = 0; i < 50000; i++) ; }\nstatic struct task slow_task = {.run = slow};\nvoid app_start(void)/; s/^    timer_every(&timers\[0\].*/    task_post(\&slow_task);\n&/' \
    "$apps/blink.c" > slow_blink.c
apps_before=$apps apps=$folder
slice slow_blink "$core" --invariant 'slow_blink.c:toggle: timers' --why slow > why || fail "slow blink"
grep -qx 'slow is not in the slice' why || { fail "slow is in the slice"; cat why; }
slice slow_blink "$core" --invariant 'slow_blink.c:toggle: timers every 250ms' --json --graph late.svg > out || fail "lateness"
[ "$(jq -r '.slice[] | select(.name == "slow") | .kind' out)" = delays ] && [ "$(level slow)" -le 3 ] || fail "slow does not delay"
grep -q '</svg>' late.svg || fail "no picture"
slice slow_blink "$core" --invariant 'slow_blink.c:toggle: every 250ms' --json > out || fail "time alone"
[ "$(level toggle)" = 1 ] && [ "$(level slow)" -le 3 ] || fail "time alone: levels $(level toggle) $(level slow)"
apps=$apps_before

# A Cortex-M, whose handlers are functions like others.
if command -v arm-none-eabi-gcc > /dev/null; then
    parts="trap task timer board leds resource adc cortex/nrf52840dk radio radio_power radio_phase random nrf52_radio collection
        route link trickle host serial_receive serial_send"
    "$motet" slice --invariant 'co2.c:sampled: missed == 0' --json -- arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -ffreestanding \
        -isystem "$kit/../../target/msp430/include" -I"$kit/../../target/include" -I"$kit" -DBOARD_NRF52840DK -c "$apps/co2.c" \
        "$kit/../../target/cortex/start.c" $(for part in $parts; do echo "$kit/$part.c"; done) > out || fail "co2 on the nRF52840"
    [ "$(level sampled)" = 1 ] && [ "$(level fit)" = 3 ] || fail "co2 on the nRF52840: levels $(level sampled) $(level fit)"
    jq -e '[.slice[].name] | index("interrupt_1") and index("interrupt_7")' out > /dev/null || fail "the radio's and the converter's handler"
fi

# nesC: names with dots, tasks by number, places in .nc files.
if [ "$nesc" != - ]; then
    "$motet" slice "$nesc" --board micaz --invariant 'AppP.work.runTask: AppP.mixed' --json -- -w > out || fail "nesC"
    [ "$(level AppP__work__runTask)" = 1 ] || fail "nesC: no level"
    "$motet" slice "$nesc" --board micaz --invariant 'AppP.work.runTask: AppP.mixed' --why AppP.Fast.fired -- -w > why || fail "nesC: why"
    grep -q 'posts AppP__work__runTask$' why || { fail "nesC: no post"; cat why; }
    "$motet" slice "$nesc" --board micaz --forward AppP.work.runTask --json -- -w > out || fail "nesC: forward"
    jq -e '.slice | map(.name) | index("AppP__work__runTask")' out > /dev/null || fail "nesC: no task"
fi
[ "$failures" -eq 0 ]
