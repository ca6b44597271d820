# What a user can get wrong: one sentence, status 2.
. "$SOURCE/tests/lib/expect.sh"
firmware=$FIRMWARE/dip-micaz-checked.elf

motet check
expect_complaint "needs a FILE"
motet check "$work/nothing.elf"
expect_complaint "nothing.elf"
motet check --board micaz --length 0s "$firmware"
expect_complaint "a walk lasts some time"
motet check --board micaz --hold 2ms "$firmware"
expect_complaint "motet: --hold: an interrupt held longer than 1ms lets a clock that is kept by interrupts lose time"
motet check --board micaz --weight sunshine=1 "$firmware"
expect_complaint "sunshine=1"
motet check --board micaz --weight lost=often "$firmware"
expect_complaint "'often' is not a probability"
motet check --board micaz --weight lost=2 "$firmware"
expect_complaint "between 0 and 1"
motet check --board micaz --steady @100 "$firmware"
expect_complaint "ticks of their own"
printf 'run_for(1)\n' >"$work/empty.lua"
motet check "$work/empty.lua"
expect_complaint "there are no nodes"
printf 'no saved run\n' >"$work/no.motet"
motet check --replay "$work/no.motet"
expect_complaint "no.motet"
motet check --replay "$work/absent.motet"
expect_complaint "absent.motet"
motet check --board micaz --nodes 2 --walks 1 --length 1s --save "$work/absent/found.motet" \
    "$FIRMWARE/dip-micaz-dip-slide-checked.elf"
expect_complaint "absent/found.motet"

# A build without the module that stands on MPI, nor the one that translates.
cp "$MOTET" "$work/alone"
with_module=$MOTET MOTET=$work/alone
export MOTET_ENGINE=loop
export OMPI_COMM_WORLD_SIZE=8
motet check --board micaz --nodes 2 "$firmware"
expect_complaint "work cannot be shared over MPI: motet_mpi.so is missing"
unset OMPI_COMM_WORLD_SIZE
export PMI_SIZE=2
motet check --board micaz --nodes 2 --walks 1 --length 1s "$firmware"
expect_complaint "work cannot be shared over MPI"
unset PMI_SIZE
MOTET=$with_module

# A property that names what the firmware has not.
printf 'always("it holds", each(function(n) return n.var.no_such_variable == 0 end))\n' >"$work/unknown.lua"
motet check --board micaz --nodes 2 --walks 1 --length 1s --property "$work/unknown.lua" "$firmware"
expect_complaint "no_such_variable"
printf 'always("it holds", each(function(n) return n:value("nothing.c::count->x") == 0 end))\n' >"$work/unknown.lua"
motet check --board micaz --nodes 2 --walks 1 --length 1s --property "$work/unknown.lua" "$firmware"
expect_complaint "nothing.c::count"
printf 'leads_to("it comes", called("no_such_function"), happened("radio-send"))\n' >"$work/unknown.lua"
motet check --board micaz --nodes 2 --walks 1 --length 1s --property "$work/unknown.lua" "$firmware"
expect_complaint "no_such_function"

# A counterexample for another firmware: of another kind of processor, of the same chip, of the same sources built anew.
cp "$FIRMWARE/dip-micaz-dip-bound-checked.elf" "$work/app.elf"
motet check --as-found --board micaz --nodes 2 --save "$work/found.motet" "$work/app.elf"
expect_status 1
motet check --replay "$work/found.motet" "$work/app.elf" --json
expect_status 1
expect_out '"same": true'
cp "$work/app.elf" "$work/anew.elf"
printf '\0' >>"$work/anew.elf"
for other in "$FIRMWARE/dip-telosb-checked.elf" "$FIRMWARE/dhv-micaz-checked.elf" "$work/anew.elf"; do
    motet check --replay "$work/found.motet" "$other"
    expect_complaint "made with another firmware than $other"
    motet debug --line "$work/found.motet" "$other" </dev/null
    expect_complaint "made with another firmware than $other"
done
motet check --replay "$work/found.motet" --repaired "$FIRMWARE/dip-telosb-checked.elf"
expect_complaint "another kind of processor"
motet check --replay "$work/found.motet" --repaired "$work/nothing.elf"
expect_complaint "nothing.elf"
motet check --replay "$work/found.motet" --repaired
expect_complaint "needs the FIRMWARE"
motet check --board micaz --repaired "$work/app.elf"
expect_complaint "give it with --replay"
motet debug "$work/app.elf" "$work/app.elf"
expect_complaint "does not know what to do"
motet debug --line "$work/found.motet" "$work/app.elf" </dev/null
expect_status 0
expect_no_err

# One that is cut off, or has a changed byte.
size=$(wc -c <"$work/found.motet")
for at in 0 1 100 $((size / 3)) $((size / 2)) $((size - 1)); do
    head -c "$at" "$work/found.motet" >"$work/cut.motet"
    motet check --replay "$work/cut.motet"
    expect_complaint "cut.motet"
    cp "$work/found.motet" "$work/damaged.motet"
    printf 'Z' | dd of="$work/damaged.motet" bs=1 seek="$at" conv=notrunc 2>/dev/null
    cmp -s "$work/found.motet" "$work/damaged.motet" && continue
    motet check --replay "$work/damaged.motet"
    expect_complaint "damaged.motet"
    motet debug --line "$work/damaged.motet" </dev/null
    expect_complaint "damaged.motet"
done
finish
