# leach: eight nodes around a base. Each is head once in an epoch of four rounds, and nearly all its data arrives. With the
# bug a head's status overwrites the type of the message that tells a member its slot: that is acknowledged, and ignored.
. "$SOURCE/tests/lib/expect.sh"

clusters() { # BOARD VARIANT SECONDS
    cat >"$work/clusters.lua" <<END
for i = 0, 8 do
    node{ id = i, board = "$1", firmware = "$FIRMWARE/leach-$1$2.elf", x = i % 3 * 10, y = i // 3 * 10, boot = i / 10,
          drift = (i * 37 % 9 - 4) * 12.5, set = { node_id = i } }
end
medium{ model = "disk", range = 50 }
at_end(function()
    local received, silent, rounds = { string.unpack("<" .. string.rep("I2", 9), bytes(0, "frames_received")) }, 0, 0
    for i = 1, 8 do
        rounds = read(i, "leach_rounds")
        local headed, left_out = read(i, "leach_headed"), read(i, "leach_unscheduled")
        check(rounds >= $3 // 20 - 1, string.format("node %d took part in %d rounds", i, rounds))
        check(math.abs(headed - rounds / 4) <= 1, string.format("node %d was head in %d of %d rounds", i, headed, rounds))
        check(received[i + 1] <= read(i, "frames_taken"), "node " .. i .. ": more has come than was sent")
        -- the last round is under way
        check(received[i + 1] >= 0.97 * 17 * (rounds - 1 - left_out),
            string.format("node %d: %d frames have come", i, received[i + 1]))
        silent = silent + left_out
    end
    check(($4)(silent), string.format("%d times a node was left without a slot, in %d rounds", silent, rounds))
end)
run_for($3)
END
    motet run --quiet --threads 1 --serial 0:0=null --serial 0:1=null "$work/clusters.lua" </dev/null
    expect_status 0
}

all=600
[ -n "${LONG:-}" ] || all=240 # three epochs
for board in $RADIO_BOARDS; do
    seconds=$all
    [ "$board" != mica2 ] || seconds=120 # where each byte goes through the CPU a run takes long
    clusters "$board" -checked $seconds "function(n) return n == 0 end"
done
for board in $RADIO_BOARDS; do
    case $board in micaz | telosb) clusters "$board" -leach-type $all "function(n) return n > 0 end" ;; esac
done
finish
