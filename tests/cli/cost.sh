# What the simulator does for a firmware, counted in instructions of the host: the same on every machine, and no time.
# Cost follows what happens: not the pin that it happens to, nor the number of watches that it does not hit.
. "$SOURCE/tests/lib/expect.sh"

executed() { # ARGUMENT...: millions of instructions that motet executes for 40 ms more of the firmware's time
    for span in 10ms 50ms; do
        valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$work/valgrind.$span" \
            "$MOTET" run --quiet --for $span "$@" </dev/null >"$work/out" 2>"$work/err" || fail "status $? for $*"
        sed -n 's/.*I *refs: *//p' "$work/valgrind.$span" | tr -d , >"$work/refs.$span"
    done
    echo $((($(cat "$work/refs.50ms") - $(cat "$work/refs.10ms")) / 1000))
}

command="motet run under cachegrind"
status=0
plain=$(executed "$FIRMWARE/cli-toggle5.elf")
comparator=$(executed "$FIRMWARE/cli-toggle6.elf") # AIN0
[ "$plain" -gt 1000 ] || fail "toggling a pin takes $plain thousand instructions"
[ "$comparator" -lt $((plain * 3 / 2)) ] || fail "AIN0 takes $comparator thousand instructions, another pin $plain"

watches() { # NUMBER: a script with so many
    printf 'for i = 0, %d do watch("cells[" .. i .. "]", function() end) end\n' $(($1 - 1)) >"$work/watches.lua"
}
watches 8
few=$(executed --script "$work/watches.lua" "$FIRMWARE/cli-toggle5.elf")
watches 1200
many=$(executed --script "$work/watches.lua" "$FIRMWARE/cli-toggle5.elf")
[ "$few" -gt "$plain" ] || fail "watches should be hit"
[ "$many" -lt $((few * 5 / 4)) ] || fail "with 1200 watches it is $many thousand instructions, with 8 it is $few"
echo "thousands of instructions: $plain for a pin, $comparator for AIN0, $few with 8 watches, $many with 1200"
finish
