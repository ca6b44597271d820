# Monitors that keep records: leds, pins, plot, print, serial, spi, on a firmware whose times and values are known.
. "$SOURCE/tests/lib/expect.sh"
elf=$FIRMWARE/monitor-observed.elf
read_vcd="$SOURCE/tests/export/read_vcd.py"

same() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || fail "$1 should be '$2' and is '$3'"
}

# A light: lit for 1000 cycles of 62.5 ns each time; exactly.
motet run --board uno --quiet --monitor leds:format=csv "$elf"
expect_status 0
same "the lights" 8 "$(grep -c '^0\.[0-9]*,0,[a-zA-Z]*,[01]$' "$work/out")"
same "how long it is lit" "62500 62500 62500 62500" "$(awk -F, '
    $4 == 1 { on = $1 } $4 == 0 { printf "%s%.0f", n++ ? " " : "", ($1 - on) * 1e9 }' "$work/out")"
motet run --board uno --quiet --monitor pins:pin=PB5 "$elf"
same "the pin's changes" "1 0 1 0 1 0 1 0" "$(sed -n 's/.* pin PB5 //p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
motet run --board uno --quiet --monitor pins:pin=PX9 "$elf"
expect_complaint "has no pin 'PX9'"
motet run --board uno --quiet --monitor "leds:format=vcd,file=$work/leds.vcd" "$elf"
expect_status 0
same "the dump" "62500 62500 62500 62500" "$(python3 "$read_vcd" "$work/leds.vcd" | awk '
    $3 == 1 { on = $1 } $3 == 0 && on { printf "%s%d", n++ ? " " : "", $1 - on }')"

# GTKWave reads the same from it: through its own format and back.
vcd2fst "$work/leds.vcd" "$work/leds.fst" >/dev/null && fst2vcd "$work/leds.fst" >"$work/again.vcd" || fail "GTKWave"
python3 "$read_vcd" "$work/leds.vcd" >"$work/before"
python3 "$read_vcd" "$work/again.vcd" >"$work/after"
cmp -s "$work/before" "$work/after" || fail "GTKWave should read what was written"

# Values of two bytes are not seen half written; a value written again is none that is new.
motet run --board uno --quiet --plot level "$elf"
expect_status 0
same "the values" "0 255 256 5" "$(sed -n 's/.* level = //p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
motet run --board uno --quiet --plot "share,expression=fields.high,format=jsonl,file=$work/found" "$elf"
same "a real one and bits" '[-0.5,9]' "$(jq -c -s '[(map(select(.expression == "share")) | last.value),
    (map(select(.expression == "fields.high")) | last.value)]' "$work/found")"
motet run --board uno --quiet --plot "level,format=svg,file=$work/plot.svg" "$elf"
xmllint --noout "$work/plot.svg" || fail "the picture should be well formed"
grep -q '<path class="s"[^>]*d="M[0-9.]* [0-9.]*H' "$work/plot.svg" || fail "the picture should have a curve of steps"
text() { # X-OR-SO: the texts of the picture
    xmllint --xpath '//*[local-name()="text"]/text()' "$work/plot.svg" | grep -qxF -e "$1" || fail "the picture should have: $1"
}
text "time (s)"
text level
motet run --board uno --quiet --plot "level,unit=mV,format=svg,file=$work/plot.svg" "$elf"
text "level (mV)"
grep -q 'class="h"' "$work/plot.svg" && fail "nothing is shaded unless asked for"
motet run --board uno --quiet --plot "level,shade=0us-100s,format=svg,file=$work/plot.svg" "$elf"
xmllint --noout "$work/plot.svg" || fail "the picture with a shade should be well formed"
grep -q '<rect class="h" x="80.0" y="40" width="710.0"' "$work/plot.svg" || fail "all of the picture should be shaded"
for wrong in 3s 5s-3s 5s-5s x-3s 3s- @3-5s; do
    motet run --board uno --quiet --plot "level,shade=$wrong,format=svg,file=$work/plot.svg" "$elf"
    expect_complaint "shade=$wrong: give two times, as in shade=30s-50s"
done
# Nodes have colours, expressions kinds of lines, and the legend has both.
motet run --board uno --nodes 12 --quiet --for 100ms --monitor \
    "plot:expression=level,expression=share,format=svg,file=$work/plot.svg" "$elf"
same "colours" 12 "$(grep -o 'class="s" stroke="#[1-9a-f][0-9a-f]*"' "$work/plot.svg" | sort -u | wc -l)"
for one in "node 0" "node 11" level share value; do text "$one"; done
grep -q '<title>node 11 share</title>' "$work/plot.svg" || fail "each curve should have its name"
motet run --board uno --quiet --plot "level,format=distribution,file=$work/plot.svg" "$elf"
text "number of values"
same "how often" 4 "$(xmllint --xpath 'sum(//*[local-name()="title"])' "$work/plot.svg")"
motet run --board uno --quiet --plot "level,format=vcd,file=$work/plot.vcd" "$elf"
same "the dump of values" "0 255 256 5" "$(python3 "$read_vcd" "$work/plot.vcd" | awk '
    /level/ { printf "%s%s", n++ ? " " : "", $3 }')"
motet run --board uno --plot levle "$elf"
expect_complaint "levle"
motet run --board atmega128 --plot 'best->etx' "$FIRMWARE/watch-routing-atmega128.elf"
expect_complaint "best->etx: a pointer on the way is null before the firmware has run"
motet run --board uno --plot fields "$elf"
expect_complaint "name one of its members"
motet run --board uno --monitor plot "$elf"
expect_complaint "say what to plot"

# Ten bits at 9615 baud (16 MHz / 16 / 104) between bytes: 1040 us.
motet run --board uno --quiet --serial 0=null --monitor serial:format=csv "$elf"
same "the bytes" "111,o 107,k 10," "$(sed -n 's/.*,0,0,out,\([0-9]*,[a-z]*\),$/\1/p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
same "between bytes" "1040 1040" "$(awk -F, '/out/ { if (last) printf "%s%.0f", n++ ? " " : "", ($1 - last) * 1e6; last = $1 }' \
    "$work/out")"
motet run --board uno --quiet --serial 0=null --monitor "print:format=jsonl,file=$work/found" "$elf"
same "what is printed" '["first line","second"]' "$(jq -c -s 'map(.text)' "$work/found")"

motet run --board uno --quiet --serial 0=null --monitor spi:format=csv "$elf"
same "the transfers" "3,10 11 12,ff ff ff 2,a0 a1,ff ff" "$(sed -n 's/^0\.[0-9]*,0,0,//p' "$work/out" | tr '\n' ' ' | sed 's/ $//')"
motet run --board uno --quiet --serial 0=null --monitor spi:format=csv,pause=10ms "$elf"
same "with a longer pause" "5,10 11 12 a0 a1" "$(sed -n 's/^0\.[0-9]*,0,0,\(.*\),ff.*/\1/p' "$work/out")"
motet run --board uno --monitor spi:select=Q9 "$elf"
expect_complaint "has no pin 'Q9'"

# With --json a line each, ahead of the run's own.
motet run --board uno --json --serial 0=null --monitor leds --monitor serial "$elf"
same "lines of JSON" "leds 8 serial 3" "$(grep '^{' "$work/out" |
    jq -r 'select(.monitor) | "\(.monitor) \(.records | length)"' | tr '\n' ' ' | sed 's/ $//')"

# Looking changes nothing.
motet run --board uno --digest "$elf"
bare=$(grep digest "$work/err")
motet run --board uno --digest --monitor leds --monitor pins --monitor plot:expression=level --monitor print --monitor serial \
    --monitor spi --monitor packets --monitor "trace:calls=1,variable=level,file=$work/trace" "$elf"
same "the digest" "$bare" "$(grep digest "$work/err")"
finish
