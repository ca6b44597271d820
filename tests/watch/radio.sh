#!/bin/sh
# What is told of the radio adds up: whatever a neighbour sends is received or lost, and looking changes nothing.
set -u
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
failures=0

fail() { # WHAT
    printf 'FAIL: %s\n' "$*"
    failures=$((failures + 1))
}

cat >"$here/radio.lua" <<'END'
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
    sed -n "s/^$1: //p" "$here/err" | cut -f "$2"
}
for board in micaz telosb mica2; do
    set -- run --quiet --digest --board $board --topology line:3:10m --medium disk:15m --loss 0.2 --for 5s \
        "$FIRMWARE/radio-count-$board.elf"
    "$MOTET" "$@" 2>"$here/bare"
    "$MOTET" "$@" --script "$here/radio.lua" 2>"$here/err" || fail "$board: $(cat "$here/err")"
    grep digest "$here/err" | cmp -s - "$here/bare" || fail "$board: the digest is another"
    sent=$(number 1 1) heard=$(($(number 0 2) + $(number 0 3)))
    [ "$sent" -gt 10 ] || fail "$board: node 1 sent $sent times"
    [ $((sent - heard)) -ge 0 ] && [ $((sent - heard)) -le 1 ] ||
        fail "$board: node 1 sent $sent times, and node 0 heard $heard"
    [ "$(number 0 3)" -gt 0 ] || fail "$board: nothing was lost"
    [ "$(number 0 4)" -gt "$(number 0 1)" ] || fail "$board: the radio's state hardly changed"
done

# The radio of mica2 hands over bits: what is called received are the frames that its firmware takes for whole.
line=$(grep -n 'b->full = true' "$SOURCE/firmware/kit/cc1000.c" | cut -d: -f1)
cat >"$here/taken.lua" <<END
local received, taken, lost = 0, 0, 0
hook("radio-receive", function(h) received = received + 1 end)
hook("radio-loss", function(h) lost = lost + 1 end)
probe("cc1000.c:$line", function() taken = taken + 1 end)
at_end(function() print(received, taken, lost) end)
END
"$MOTET" run --quiet --seed 5 --board mica2 --topology line:4:30m --for 5s --script "$here/taken.lua" \
    "$FIRMWARE/radio-count-mica2.elf" 2>"$here/err"
for id in 0 1 2 3; do
    [ "$(number $id 1)" -gt 30 ] && [ "$(number $id 3)" -gt 0 ] || fail "mica2, node $id: $(number $id 1) received, $(number $id 3) lost"
    difference=$(($(number $id 1) - $(number $id 2)))
    [ "$difference" -ge 0 ] && [ "$difference" -le 1 ] || fail "mica2, node $id: $(number $id 1) received, $(number $id 2) taken"
done

# A sender that dies in the middle of a frame: what its neighbour heard of it was cut.
cat >"$here/told.lua" <<'END'
hook("radio-send", function() print("sent", node.now) end)
hook("radio-loss", function(h) print("lost", h.sender, h.why) end)
END
for board in micaz telosb iris mica2; do
    before=0.0003
    [ "$board" != mica2 ] || before=0.009 # in the preamble: after it the end is not visible
    [ -e "$FIRMWARE/radio-count-$board.elf" ] || continue
    cat >"$here/two.lua" <<END
for i = 0, 1 do
    node{ id = i, board = "$board", firmware = "$FIRMWARE/radio-count-$board.elf", x = 5 * i, boot = 0.01 + 0.1 * i }
end
END
    "$MOTET" run --quiet --for 500ms --script "$here/told.lua" "$here/two.lua" 2>"$here/err"
    ! grep -q lost "$here/err" || fail "$board: nothing should be lost: $(cat "$here/err")"
    end=$(sed -n 's/^1: sent\t//p' "$here/err" | head -1)
    { cat "$here/two.lua" && echo "at(0.11 + $end - $before, function() kill(1) end)"; } >"$here/killed.lua"
    "$MOTET" run --quiet --for 500ms --script "$here/told.lua" "$here/killed.lua" 2>"$here/err"
    [ "$(sed -n 's/^0: lost\t//p' "$here/err")" = "$(printf '1\tcut')" ] || fail "$board: $(cat "$here/err")"
done
[ "$failures" -eq 0 ]
