# The bugs of dip and, from dhv_bugs.sh, of dhv (docs/kit.md): each shows in a checked build, in a network whose channel is
# busy for a tenth of a second three times a second and whose nodes start anew now and then; the correct build goes through
# the same runs. What is written through a null pointer on an AVR Motet notices in a build without checks as well.
. "$SOURCE/tests/lib/expect.sh"

network() { # BUILD SEED: four nodes that hear each other but for the two ends, and five that they hear at times
    cat >"$work/busy.lua" <<END
local nodes, chatterers = 4, 5
for i = 0, nodes + chatterers - 1 do
    local chatters = i >= nodes
    node{ id = i, board = "$board", firmware = "$FIRMWARE/" .. (chatters and "chatter-$board.elf" or "$1.elf"),
          boot = chatters and 29.5 or i / 10,
          set = chatters and { node_id = i } or { node_id = i, author = i == nodes - 1 and 1 or 0 } }
end
medium{ model = "links" }
for i = 0, nodes - 1 do
    for j = 0, nodes - 1 do
        if i ~= j and math.abs(i - j) < 3 then link(i, j, -60) end
    end
end
local function chatter(dbm)
    for i = nodes, nodes + chatterers - 1 do
        for j = 0, nodes - 1 do link(i, j, dbm) end
    end
end
at(30, function()
    every(0.3, function()
        chatter(-60)
        at(now() + 0.1, function() chatter(-200) end)
    end)
end)
for i = 1, 20 do
    at(30.5 + i * (0.5 + $2 / 101), function() boot(1 + i % (nodes - 1)) end)
end
run_for(41)
END
    motet run --quiet --threads 1 "$work/busy.lua" </dev/null
}

shows() { # BUG KIND [CHECKED]: with some seed
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        network "$protocol-$board-$protocol-$1${3--checked}" $seed
        ! grep -q "$2 at " "$work/err" || { tried="$tried $seed"; return; }
        expect_status 0
    done
    fail "$protocol should show $1"
}

protocol=${protocol:-dip}
for board in $RADIO_BOARDS; do
    case $board in micaz | telosb) ;; *) continue ;; esac
    tried=
    case $protocol in
    dip)
        shows payload "null pointer"
        [ "$board" != micaz ] || shows payload "null pointer write" ""
        for bug in slide bound right; do shows $bug "index out of bounds"; done
        ;;
    dhv)
        for bug in summary horizontal vertical; do shows $bug "null pointer"; done
        shows index "index out of bounds"
        ;;
    esac
    for seed in $(printf '%s\n' $tried | sort -u); do
        network "$protocol-$board-checked" "$seed"
        expect_status 0
        expect_no_err
    done
done
finish
