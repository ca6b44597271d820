# timesync: on a line of nine nodes and on a grid, with clocks up to 50 ppm off, two nodes' ideas of the time differ by no
# more than two ticks (61 us) for each hop between them and two for the poll, and by less than one a hop on average; when
# the root dies the next takes its place, and the time goes on as it was. In the suite a MICAz has the line and a TelosB the
# grid.
. "$SOURCE/tests/lib/expect.sh"

for board in $RADIO_BOARDS; do
    case $board in
    micaz | telosb) shapes="9 3" slack=1 seconds=800 ;;
    iris) shapes=3 slack=2 seconds=800 ;;
    *) shapes=3 slack=2 seconds=260 ;; # where each byte goes through the CPU a run takes long
    esac
    if [ -z "${LONG:-}" ]; then
        case $board in micaz) shapes=9 ;; telosb) shapes=3 ;; esac
    fi
    for columns in $shapes; do
        cat >"$work/times.lua" <<END
local function place(i, id)
    node{ id = i, board = "$board", firmware = "$FIRMWARE/timesync-$board.elf", x = i % $columns * 10,
          y = i // $columns * 10, boot = i / 10, drift = (i * 37 % 9 - 4) * 12.5, set = { node_id = id } }
end
for i = 0, 8 do place(i, i) end
place(9, 0xff00) -- asks what time it is, and all hear it at once
medium{ model = "disk", range = 15 }
for i = 0, 8 do
    link(9, i, -60)
    link(i, 9, -150)
end
local function signed(x) return (x + 0x80000000 & 0xffffffff) - 0x80000000 end
local function hops(a, b) return math.abs(a % $columns - b % $columns) + math.abs(a // $columns - b // $columns) end

local agreed, polls, pairs, sum, first_time = {}, 0, 0, 0, nil
local function compare(root)
    local number, times = read(9, "poll_number"), {}
    for i = root, 8 do -- nodes that missed the question are left out; roots are the lowest alive
        if read(i, "poll_known") == 0 or read(i, "poll_root") ~= root then return end
        times[i] = read(i, "poll_number") == number and read(i, "poll_time") or nil
    end
    agreed[root] = agreed[root] or now()
    if now() < agreed[root] + 100 then return end -- a table of points
    for a = root, 7 do
        for b = a + 1, 8 do
            if times[a] and times[b] then
                local error, far = math.abs(signed(times[a] - times[b])), hops(a, b)
                check(error <= 2 * (far + 1) * $slack, string.format("nodes %d and %d are %d ticks apart", a, b, error))
                pairs, sum = pairs + 1, sum + error / far
            end
        end
    end
    polls = polls + 1
    if times[8] then -- against the time of the world
        local offset = times[8] - number * 3 * 32768
        first_time = first_time or { offset, now() }
        local error = signed(offset - first_time[1])
        local allowed = 700 + 100e-6 * 32768 * (now() - first_time[2])
        check(math.abs(error) < allowed, string.format("the time has jumped by %d", error))
    end
end
local root = 0
every(3, function() compare(root) end)
at(500, function()
    check(agreed[0] and agreed[0] < 400, "there should be one root by now")
    kill(0)
    root = 1
end)
run_for($seconds)
at_end(function()
    check(now() < 500 or agreed[1] and agreed[1] < 600, "node 1 should be the root by now")
    check(polls > 20, "there were " .. polls .. " comparisons")
    check(sum / pairs < 1, string.format("%.2f ticks a hop on average", sum / pairs))
end)
END
        motet run --quiet --threads 1 "$work/times.lua" </dev/null
        expect_status 0
    done
done
finish
