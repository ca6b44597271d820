# easy-collection: where the way to the root is cut for less than a second no number is left out, since none is taken while
# the queue is full. With the bug of the send without a look at that (docs/kit.md) some are.
. "$SOURCE/tests/lib/expect.sh"

study() { # VARIANT: writes how many numbers of node 1 were left out
    cat >"$work/cut.lua" <<END
for i = 0, 1 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/easy-collection-$board$1.elf", x = 10 * i, set = { node_id = i } }
end
medium{ model = "disk", range = 15 }
at(8, function() link_down(0, 1) end)
at(8.9, function() link_up(0, 1) end)
run_for(15)
END
    motet run --quiet --threads 1 --serial "0:$port=file:,$work/answer" "$work/cut.lua" </dev/null
    expect_status 0
    "$FRAMES" decode <"$work/answer" | sort -u | awk '
        { numbers[NR] = 256 * hex(substr($3, 5, 2)) + hex(substr($3, 7, 2)) }
        function hex(text) { return 16 * (index(digits, substr(text, 1, 1)) - 1) + index(digits, substr(text, 2, 1)) - 1 }
        BEGIN { digits = "0123456789abcdef" }
        END { print numbers[NR] - numbers[1] + 1 - NR, NR }' >"$work/left_out"
    read -r left_out count <"$work/left_out"
    [ "$count" -gt 200 ] || fail "numbers that came: $count"
}

for board in $RADIO_BOARDS; do
    port=0
    [ "$board" != telosb ] || port=1
    study ""
    [ "$left_out" -eq 0 ] || fail "numbers left out: $left_out"
    study -send-busy
    [ "$left_out" -ge 4 ] || fail "numbers left out with the bug: $left_out"
done
finish
