# From one place to another: the call of work() to that of guarded() takes 4009 cycles (objdump, datasheet), and 92 more
# where the interrupt of timer 1 comes between.
. "$SOURCE/tests/lib/expect.sh"
elf=$FIRMWARE/monitor-interrupts-atmega328p.elf

timing() { # FIRMWARE OPTIONS
    motet run --quiet --board atmega328p --for 100ms --json --monitor "timing:$2,file=$work/found" "$1"
    expect_status 0
}
expect_found() { jq -e "$1" "$work/found" >/dev/null || fail "the timing should have: $1"; }

timing "$elf" from=work,to=guarded
expect_found '.starts == 359 and .unit == "cycles"'
expect_found '.to[0].distribution | .count == 359 and .least == 4009 and .most == 4101 and .median == 4009'
expect_found '.to[0].distribution.values == [[4009, 269], [4101, 90]]'
expect_found '.to[0].distribution | .mean > 4032.06 and .mean < 4032.07' # (269 * 4009 + 90 * 4101) / 359
expect_found '.to[0].distribution | .percentile_90 == 4101'

# Ticks are cycles here: the CPU runs from the oscillator and does not sleep.
timing "$elf" from=work,to=guarded,unit=ticks
expect_found '.to[0].distribution.values == [[4009, 269], [4101, 90]]'

# To anywhere: the first time in each function since the last start.
timing "$elf" from=work
expect_found '.to[] | select(.place == "guarded") | .distribution.values == [[4009, 269], [4101, 90]]'
expect_found '.to[] | select(.place == "__vector_11") | .distribution.count == 99'
expect_found '[.to[] | select(.place == "work")] == []'

# By line, by offset and by returns; and a place that is start and end.
timing "$elf" from=work:returns,to=guarded
expect_found '.to[0].distribution.values == [[8, 359]]' # ret: 4, call: 4
timing "$elf" from=work,to=work
expect_found '.to[0].distribution | .count == 358'

# The picture is one: two bars, the higher of all 240 points.
motet run --quiet --for 100ms --monitor "timing:from=work,to=guarded,format=svg,file=$work/found.svg" "$elf"
expect_status 0
python3 - "$work/found.svg" <<'END' || fail "the picture"
import sys, xml.etree.ElementTree as tree
bars = [b for b in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}rect") if len(b)]
assert [b[0].text.split(": ")[1] for b in bars] == ["269", "90"], "the bars' counts"
assert float(bars[0].get("height")) == 240 and 79 < float(bars[1].get("height")) < 81
END

motet run --monitor timing "$elf"
expect_complaint "say where to start"
motet run --monitor timing:from=wrok "$elf"
expect_complaint "did you mean 'work'?"
motet run --monitor timing:from=work,to=guadred "$elf"
expect_complaint "did you mean 'guarded'?"
motet run --monitor timing:from=work,unit=days "$elf"
expect_complaint "choose cycles, ticks or uJ"

# The same of a chip of another kind: compute() calls leaf() three times, and is called five times.
other=$FIRMWARE/monitor-workload-msp430f1611.elf
if [ -e "$other" ]; then
    motet run --quiet --board msp430f1611 --json --monitor "timing:from=compute,to=leaf,file=$work/found" "$other"
    expect_status 0
    expect_found '.to[0].distribution | .count == 5 and .least == .most and .least > 0'
fi

# Energy from A to B: the CPU alone is active, so it is its current times the voltage times the cycles.
blink=$FIRMWARE/blink-micaz.elf
motet run --quiet --board micaz --for 2s --json --monitor "timing:from=fire,to=toggle,file=$work/cycles" \
    --monitor "timing:from=fire,to=toggle,unit=uJ,file=$work/energy" "$blink"
expect_status 0
jq -e '.unit == "uJ" and .to[0].distribution.count > 5' "$work/energy" >/dev/null || fail "energy should be measured"
echo "volts 3
cpu active 8
cpu idle 0
radio off 0" >"$work/table"
motet run --quiet --board micaz --for 2s --json --monitor "timing:from=fire,to=toggle,unit=uJ,table=$work/table,file=$work/energy" "$blink"
jq -s -e '(.[0].to[0].distribution.most / 7372800 * 8 * 3 * 1000 - .[1].to[0].distribution.most) | fabs < 0.002' \
    "$work/cycles" "$work/energy" >/dev/null || fail "8 mA at 3 V should give $(cat "$work/energy")"
motet run --board atmega328p --monitor timing:from=main,unit=uJ "$elf"
expect_complaint "there is no table of currents for atmega328p"

# To every line of source.
motet run --quiet --board micaz --for 2s --json --monitor "timing:from=fire,to=lines,file=$work/found" "$blink"
jq -e '[.to[].place] | (index("blink.c:11") or index("blink.c:12")) and length > 20 and (unique | length) == length' \
    "$work/found" >/dev/null || fail "every line that is reached should be listed once"
if command -v avr-strip >/dev/null; then
    avr-strip -g -o "$work/nolines.elf" "$blink"
    motet run --board micaz --monitor timing:from=fire,to=lines "$work/nolines.elf"
    expect_complaint "has no lines; build it with -g"
fi
finish
