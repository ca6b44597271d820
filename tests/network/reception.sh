# What a network delivers, against the formula of IEEE 802.15.4-2006, E.4.1.8, written in Lua: one node sends, others
# hear it over links of different strengths, over a noise that changes, and over links that lose a part by themselves.
. "$SOURCE/tests/lib/expect.sh"

cat >"$work/reception.lua" <<END
local levels = { -0.5, 0, 0.5, 1, 1.5, 2, 3, 6 }
local NOISE = -98 -- dBm: that of the medium and of the receiver
local BYTES = 2 + 1 + 23 -- the start delimiter, the length, and the frame

node{ id = 0, board = "micaz", firmware = "$FIRMWARE/network-cc2420-busy.elf" }
medium{ model = "links" }
for i, level in ipairs(levels) do
    -- The period follows from the id: all have the same, so no other node sends while node 0 does.
    node{ id = i, board = "micaz", firmware = "$FIRMWARE/network-cc2420-busy.elf", boot = 0.0035 + i * 0.0001,
          set = { TOS_NODE_ID = 0 } }
    link(0, i, NOISE + level)
end
node{ id = 9, board = "micaz", firmware = "$FIRMWARE/network-cc2420-busy.elf", boot = 0.0045, set = { TOS_NODE_ID = 0 } }
link(0, 9, -60, 0.3)
run_for(40)

local function whole(level)
    local ratio, sum, choose = 10 ^ ((level - 2.5) / 10), 0, 16
    for k = 2, 16 do
        choose = choose * (17 - k) / k
        sum = sum + (-1) ^ k * choose * math.exp(20 * ratio * (1 / k - 1))
    end
    return (1 - 8 / 15 / 16 * sum) ^ (8 * BYTES)
end

local function likely(count, of, p, what)
    local room = 5 * math.sqrt(of * p * (1 - p)) + 2
    check(math.abs(count - of * p) <= room,
          string.format("%s: %d of %d, but %.1f are expected, give or take %.1f", what, count, of, of * p, room))
end

local function heard(i) return (string.unpack("<I2", bytes(i, "heard_from"), 1)) end
local function sent() return read(0, "said") end

local from, before = 0, {}
for i = 1, 9 do before[i] = 0 end
local function judge(weaker)
    local count = sent() - from
    check(count > 1000, "node 0 has sent only " .. count)
    for i, level in ipairs(levels) do
        likely(heard(i) - before[i], count, whole(level - weaker), string.format("at %.1f dB", level - weaker))
    end
    likely(heard(9) - before[9], count, 0.7, "with a loss of 0.3")
    from = sent()
    for i = 1, 9 do before[i] = heard(i) end
end
at(20, function()
    judge(0)
    medium{ noise = 10 * math.log(10 ^ (-9.5) - 10 ^ (-9.8) + 10 ^ (-10), 10) } -- with its own -95 dBm
end)
at_end(function() judge(3) end)
END
motet run "$work/reception.lua" --quiet --threads 1
expect_status 0
expect_no_err

# Noise above the threshold keeps the CC2420 from sending for as long as it lasts, and no longer.
cat >"$work/noise.lua" <<END
for i = 0, 1 do node{ id = i, firmware = "$FIRMWARE/radio-count-micaz.elf", board = "micaz", x = 5 * i } end
at(3, function() medium{ noise = -70 } end)
at(6, function() medium{ noise = -100 } end)
END
sent_by() { # SECONDS
    motet run "$work/noise.lua" --for "$1s" --json
    jq .transmissions "$work/out"
}
at_4=$(sent_by 4) at_6=$(sent_by 6) at_9=$(sent_by 9)
[ "$at_4" -gt 10 ] && [ "$at_4" = "$at_6" ] || fail "in the noise no node should send: $at_4 by 4 s, $at_6 by 6 s"
[ "$at_9" -gt $((at_6 + 10)) ] || fail "after the noise they should send again: $at_6 by 6 s, $at_9 by 9 s"
finish
