#!/bin/sh
# What is told of the radio adds up: whatever a neighbour sends is received or lost, and looking changes nothing.
. "$(dirname "$0")/../lib/core.sh"

cat >"$work/radio.lua" <<'END'
local n = {}
local function count(name) return function() n[name] = (n[name] or 0) + 1 end end
hook("radio-send", count("sent"))
hook("radio-receive", count("received"))
hook("radio-loss", count("lost"))
hook("radio-state", count("states"))
for _, what in ipairs{"call", "return", "interrupt-post", "interrupt-entry", "interrupt-exit", "sleep", "wake",
                      "register", "pin", "serial", "serial-input", "spi", "fault", "reset"} do
    hook(what, function() end)
end
at_end(function() print(n.sent or 0, n.received or 0, n.lost or 0, n.states or 0) end)
END
number() { # NODE COLUMN
    sed -n "s/^$1: //p" "$work/err" | cut -f "$2"
}
for board in micaz telosb mica2; do
    set -- run --quiet --digest --board $board --topology line:3:10m --medium disk:15m --loss 0.2 --for 5s \
        "$FIRMWARE/radio-count-$board.elf"
    "$MOTET" "$@" 2>"$work/bare"
    "$MOTET" "$@" --script "$work/radio.lua" 2>"$work/err" || fail "$board: $(cat "$work/err")"
    grep digest "$work/err" | cmp -s - "$work/bare" || fail "$board: the digest is another"
    sent=$(number 1 1) heard=$(($(number 0 2) + $(number 0 3)))
    [ "$sent" -gt 10 ] || fail "$board: node 1 sent $sent times"
    [ $((sent - heard)) -ge 0 ] && [ $((sent - heard)) -le 1 ] ||
        fail "$board: node 1 sent $sent times, and node 0 heard $heard"
    [ "$(number 0 3)" -gt 0 ] || fail "$board: nothing was lost"
    [ "$(number 0 4)" -gt "$(number 0 1)" ] || fail "$board: the radio's state hardly changed"
done

# The radio of mica2 hands over bits: what is called received are the frames that its firmware takes for whole.
line=$(grep -n 'b->full = true' "$SOURCE/firmware/kit/cc1000.c" | cut -d: -f1)
cat >"$work/taken.lua" <<END
local received, taken, lost = 0, 0, 0
hook("radio-receive", function(h) received = received + 1 end)
hook("radio-loss", function(h) lost = lost + 1 end)
probe("cc1000.c:$line", function() taken = taken + 1 end)
at_end(function() print(received, taken, lost) end)
END
"$MOTET" run --quiet --seed 5 --board mica2 --topology line:4:30m --for 5s --script "$work/taken.lua" \
    "$FIRMWARE/radio-count-mica2.elf" 2>"$work/err"
for id in 0 1 2 3; do
    [ "$(number $id 1)" -gt 30 ] && [ "$(number $id 3)" -gt 0 ] || fail "mica2, node $id: $(number $id 1) received, $(number $id 3) lost"
    difference=$(($(number $id 1) - $(number $id 2)))
    [ "$difference" -ge 0 ] && [ "$difference" -le 1 ] || fail "mica2, node $id: $(number $id 1) received, $(number $id 2) taken"
done

# A sender that dies in the middle of a frame: what its neighbour heard of it was cut.
cat >"$work/told.lua" <<'END'
hook("radio-send", function() print("sent", node.now) end)
hook("radio-loss", function(h) print("lost", h.sender, h.why) end)
END
for board in micaz telosb iris mica2; do
    before=0.0003
    [ "$board" != mica2 ] || before=0.009 # in the preamble: after it the end is not visible
    [ -e "$FIRMWARE/radio-count-$board.elf" ] || continue
    cat >"$work/two.lua" <<END
for i = 0, 1 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/radio-count-$board.elf", x = 5 * i, boot = 0.01 + 0.1 * i }
end
END
    "$MOTET" run --quiet --for 500ms --script "$work/told.lua" "$work/two.lua" 2>"$work/err"
    ! grep -q lost "$work/err" || fail "$board: nothing should be lost: $(cat "$work/err")"
    end=$(sed -n 's/^1: sent\t//p' "$work/err" | head -1)
    { cat "$work/two.lua" && echo "at(0.11 + $end - $before, function() kill(1) end)"; } >"$work/killed.lua"
    "$MOTET" run --quiet --for 500ms --script "$work/told.lua" "$work/killed.lua" 2>"$work/err"
    [ "$(sed -n 's/^0: lost\t//p' "$work/err")" = "$(printf '1\tcut')" ] || fail "$board: $(cat "$work/err")"
done
finish
