# usage: watched.sh FIRMWARE
# Monitors, plots and scripts on a replay, over the firmware's own clock; and what is said where something is wrong with
# them, or with a serial port that a log is to come from.
. "$SOURCE/tests/lib/expect.sh"
elf=$1
motet run --board micaz --for 60s --quiet --save-flash "$work/flash" "$elf" </dev/null
expect_status 0

# What was recorded last may still be in memory, so the log is somewhat shorter. A reading every 100 ms: without the clock all of it lies within the CPU's few milliseconds.
replay() { motet replay "$work/flash" --elf "$elf" --board micaz "$@" </dev/null; }
last_time() { tail -n 1 "$work/table" | cut -d , -f 1; }
replay --time ticks/32768 --plot "timer.due,format=csv,file=$work/table"
expect_status 0
awk -F, 'NR > 2 && $1 - before > 0.11 { bad = 1 } { before = $1 } END { exit bad || $1 < 20 || $1 > 60.1 }' \
    "$work/table" || fail "times should be those of the node's life"
replay --plot "timer.due,format=csv,file=$work/table"
expect_status 0
awk -v last="$(last_time)" 'BEGIN { exit !(last < 5) }' || fail "without a clock sleep takes no time"

replay --part all --time ticks/32768 --monitor "log:every=4s,format=csv,file=$work/table"
expect_status 0
awk -F, 'NR > 2 && $1 - time > 3.9 && $3 <= bytes { bad = 1 } NR > 1 { time = $1; bytes = $3; lines++ } END { exit bad || lines < 10 || lines > 33 }' \
    "$work/table" || fail "the log should grow, a line every 4 s"
replay --time ticks/32768 --monitor "log:every=4s,shade=10s-20s,format=rate,file=$work/rate.svg"
expect_status 0
for one in '>growth (bytes/s)<' '<rect class="h"' '<path class="s" stroke="#1f77b4" d="M[^"]*L'; do
    grep -q "$one" "$work/rate.svg" || fail "the picture of the growth should have $one"
done
printf 'probe("sample", function() n = (n or 0) + 1 end)\nat_end(function() print("samples", n) end)\n' >"$work/count.lua"
replay --script "$work/count.lua"
expect_status 0
grep -Eq '^samples	[2-6][0-9][0-9]$' "$work/err" || fail "a script should see each sample"

replay --time ticks/fast
expect_complaint "'ticks/fast' is not EXPRESSION/HZ, such as ticks/32768"
replay --time tocks/32768
expect_complaint tocks
replay --monitor log:every=0
expect_complaint "every=0"
replay --part all --line
expect_complaint "give it with --part N"
replay --plot "timer.due,most=x"
expect_complaint "a whole number is needed"
motet run --board micaz --for 1s --monitor log "$elf" </dev/null
expect_complaint "this is for motet replay"

motet collect --serial /dev/null
expect_complaint "/dev/null is not a serial port"
motet collect --serial "$work/none"
expect_complaint "cannot open"
motet collect --serial 127.0.0.1:1
expect_complaint "cannot connect to 127.0.0.1:1"
motet collect --serial 127.0.0.1:1 --baud 1234
expect_complaint "'1234' is not a usual rate"
motet collect
expect_complaint "a node with --serial"
motet collect "$work/flash" --serial 127.0.0.1:1
expect_complaint "a node with --serial"
finish
