# Duty cycles and energy: on a firmware that works for a quarter of the time, on lights lit for known times, on radios.
. "$SOURCE/tests/lib/expect.sh"
naps=$FIRMWARE/monitor-naps.elf
observed=$FIRMWARE/monitor-observed.elf

says() { # WHAT FILTER
    jq -e "$2" "$work/found" >/dev/null || { fail "$1"; jq -c . "$work/found" | cut -c 1-600; }
}

# 4000 cycles and a few to get there of each 16000; the first nap is longer.
motet run --board uno --quiet --monitor "sleep:format=json,file=$work/found" "$naps"
expect_status 0
says "it should wake a hundred times" '.wakes == 100'
says "it should be active for a quarter" '.cpu.active.seconds / 0.1 | . > 0.25 and . < 0.255'
says "it should sleep in idle alone" '.cpu | keys == ["active", "idle"]'
says "shares should add up" '[.cpu[].share] | add | . > 0.999999 and . < 1.000001'
says "a nap should take three quarters of a millisecond" \
    '.cpu.idle.entries == 100 and ((.cpu.idle.seconds - 0.001) / 99 | . > 0.000745 and . < 0.00075)'
motet run --board uno --quiet --monitor sleep "$naps"
expect_out "woken 100 times"

# With a table of one's own: milliamperes times volts times the seconds that sleep finds.
cat >"$work/table" <<'TABLE'
volts 2 # and a comment
battery 100
cpu active 10
cpu idle 1
led * 5
TABLE
seconds() { jq -c "[.cpu.active.seconds, .cpu.idle.seconds]" "$work/found"; }
slept=$(seconds)
motet run --board uno --quiet --monitor "energy:table=$work/table,format=json,file=$work/found" "$naps"
expect_status 0
close='def close($a; $b): ($a - $b) | fabs < 1e-6;'
says "active and idle" "$close $slept as [\$active, \$idle] |
    close(.components[0].millijoules; \$active * 20) and close(.components[1].millijoules; \$idle * 2)"
says "the sum" "$close close(.millijoules; [.components[].millijoules] | add)"
says "the battery" "$close close(.battery_days; 100 / .milliamps / 24) and close(.milliamps; .millijoules / 2 / .seconds)"
says "functions share what the CPU used" "$close close([.functions[].millijoules] | add; .components[0].millijoules)"
says "most is work's: 4000 cycles and the return, a hundred times" \
    '.functions[0].name == "work" and .functions[0].seconds > 0.025 and .functions[0].seconds < 0.02504'

# A light of 5 mA at 2 V, lit four times for 62.5 us; a CPU of 1 mA for each of its 16 MHz.
printf 'volts 2\ncpu active 1/MHz\nled L 5\nled * 7\n' >"$work/table"
motet run --board uno --quiet --monitor "energy:table=$work/table,format=json,file=$work/found,functions=0" "$observed"
says "the light" '.components | map(select(.component == "led" and .seconds > 0)) | length == 1 and
    (.[0].seconds * 1e9 | round) == 250000 and ((.[0].millijoules * 1e6 | round) | . == 2500 or . == 3500)'
says "the clock" '.components[0].milliamps > 15.999 and .components[0].milliamps < 16.001'
says "no functions" '.functions == []'

# The built-in tables are tables: what is written can be given, and is the same then.
for board in uno micaz mica2 iris telosb; do
    elf=$FIRMWARE/blink-$board.elf
    motet run --board $board --for 2s --quiet --monitor "energy:format=table,file=$work/table" "$elf"
    expect_status 0
    motet run --board $board --for 2s --quiet --monitor energy "$elf"
    cp "$work/out" "$work/built-in"
    expect_out "a battery of"
    expect_not_in_out "not in the table"
    motet run --board $board --for 2s --quiet --monitor "energy:table=$work/table" "$elf"
    cmp -s "$work/out" "$work/built-in" || fail "$board: the table as written should do the same"
done

# A radio: its states fill the time, and it sends as long as its packets take (640 us, and turning around).
for board in micaz telosb; do
    motet run --board $board --nodes 2 --for 5s --quiet --json --monitor "energy:format=json,file=$work/%id" \
        --monitor "sleep:format=json,file=$work/sleep%id" --monitor packets:format=jsonl "$FIRMWARE/radio-count-$board.elf"
    sent=$(grep -c '"node": 1,.*"kind"' "$work/out")
    cp "$work/sleep1" "$work/found"
    says "$board: shares of the radio" '[.radio[].share] | add | . > 0.999999 and . < 1.000001'
    says "$board: sending" ".radio.sending.seconds / $sent | . > 0.00064 and . < 0.0009"
    says "$board: times it sent" ".radio.sending.entries == $sent"
    cp "$work/1" "$work/found"
    says "$board: 17.4 mA at 0 dBm" '.components[] | select(.state == "sending") | .milliamps == 17.4'
    says "$board: 18.8 mA for listening" '.components[] | select(.state == "listening") |
        (.millijoules / .seconds / 3 * 10 | round) == 188'
done
motet run --board micaz --for 3s --quiet --monitor "energy:format=json,file=$work/found" "$FIRMWARE/flash-test-micaz.elf"
says "the flash writes" '.seconds as $all | [.components[] | select(.component == "flash")] | (map(.seconds) | add) as $sum |
    ($sum - $all | fabs) < 1e-6 and any(.[]; .state == "write" and .seconds > 0.1 and .milliamps == 15)'

# A node that is switched off and on counts its ticks anew: both lives are there, and the time between them is not.
cat >"$work/off.lua" <<LUA
for i = 0, 1 do node{ id = i, board = "micaz", firmware = "$FIRMWARE/radio-count-micaz.elf" } end
at(3, function() kill(1) end)
at(5, function() boot(1) end)
run_for(10)
LUA
motet run --quiet --monitor "energy:format=json,file=$work/%id" --monitor "sleep:format=json,file=$work/found" \
    --monitor packets:format=jsonl "$work/off.lua"
expect_status 0
jq -s -c '.[] | select(.node == 1)' "$work/found" >"$work/slept" && cp "$work/slept" "$work/found"
says "the time that it was on" '[.cpu[].seconds] | add | . > 7.99 and . <= 8'
says "no sleep should be longer than the time" '.longest_asleep < 8'
cp "$work/1" "$work/found"
says "the time that it used energy" '.seconds > 7.99 and .seconds <= 8'
says "LEDs are dark while it is off" '[.components[] | select(.component == "led")] | all(.[]; .seconds < 8)'
jq -e -s 'map(select(.node == 1) | .time) | . == sort and last < 10 and all(.[]; . < 3.001 or . > 5) and
    (map(select(. < 3)) | length) > 5 and (map(select(. > 5)) | length) > 10' "$work/out" >/dev/null ||
    fail "packets of both lives should have their times"

# What is wrong with a table is said with its line.
bad() { # TEXT SENTENCE
    printf "$1" >"$work/table"
    motet run --board uno --monitor "energy:table=$work/table" "$naps"
    expect_complaint "$2"
}
bad 'volts 3\ncpu active lots\n' "table:2: 'cpu active lots' is not understood"
bad 'cpu active 3\n' "does not say the voltage"
bad 'volts 3\ncpu active -3\n' ":2:"
bad 'volts 3\nradio sending x 3\n' ":2:"
bad 'volts nan\n' ":1:"
motet run --board uno --monitor "energy:table=$work/none" "$naps"
expect_complaint "cannot read $work/none"
motet run --board uno --monitor "energy:table=$work" "$naps"
expect_status 2
motet run --board atmega328p --monitor energy "$naps"
expect_complaint "give one with table=FILE"

# Scripts know what was used so far: in the end as much as the monitor says, and never less than before.
blink=$FIRMWARE/blink-micaz.elf
cat >"$work/meter.lua" <<'LUA'
meter()
local last = 0
probe("toggle", function()
    if node.energy <= last then print("energy should rise") end
    last = node.energy
end)
at_end(function() print(string.format("used %.6f after %.6f", node.energy, last)) end)
LUA
motet run --quiet --board micaz --for 2s --json --script "$work/meter.lua" --monitor "energy:file=$work/found" "$blink"
expect_status 0
expect_not_in_err "energy should rise"
used=$(jq -r '.millijoules * 1e6 | round / 1e6' "$work/found")
expect_err "used $(printf %.6f "$used") after "
echo 'probe("toggle", function() print(node.energy) end)' >"$work/early.lua"
motet run --quiet --board micaz --for 2s --script "$work/early.lua" "$blink"
expect_status 2
expect_err "node.energy counts from the call of meter()"
finish
