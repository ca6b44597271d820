#!/bin/sh
# usage: stack.sh MOTET BOARD FIRMWARE...
# The worker of the recorder never comes near the end of its stack (MOTET_STACK), alone and with others on the air; and code that
# looks does see it write there where that is its own.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 board=$2
shift 2
spare=8 # bytes that must stay as they are

watching() { # BYTES: from the stack's end on, while it is the worker that has it
    cat >"$work/watch.lua" <<.
local said
for i = 0, $1 - 1 do
    watch("motet_recorder.stack[" .. i .. "]", function(a)
        local from = node.sp - (a.address - i)
        if not said and from > -100 and from < 200 then
            print("wrote to " .. i)
            said = true
        end
    end)
end
.
}
run() { # NODES FIRMWARE
    "$motet" run "$2" --board "$board" --for 20s --topology "line:$1:1m" --seed 3 --set node_id=%id --quiet --script "$work/watch.lua" >"$work/out" 2>&1 </dev/null || {
        cat "$work/out"
        exit 1
    }
}

for elf; do
    for nodes in 1 4; do
        watching $spare
        run $nodes "$elf"
        if grep -aq 'wrote to' "$work/out"; then
            echo "stack.sh: $elf, nodes: $nodes: within the last $spare bytes of the worker's stack:"
            grep -a 'wrote to' "$work/out"
            failures=$((failures + 1))
        fi
    done
    watching 120
    run 1 "$elf"
    grep -aq 'wrote to' "$work/out" || {
        echo "stack.sh: $elf: no code has a stack there"
        failures=$((failures + 1))
    }
done
finish
