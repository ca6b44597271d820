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
expect_complaint "lose time"
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

# A build without the module that stands on MPI.
cp "$MOTET" "$work/alone"
with_module=$MOTET MOTET=$work/alone
export OMPI_COMM_WORLD_SIZE=8
motet check --board micaz --nodes 2 "$firmware"
expect_complaint "work cannot be shared over MPI: motet_mpi.so is missing"
unset OMPI_COMM_WORLD_SIZE
MOTET=$with_module

# A counterexample for another firmware, or of another kind of processor.
motet check --board micaz --nodes 2 --save "$work/found.motet" "$FIRMWARE/dip-micaz-dip-bound-checked.elf"
expect_status 1
motet check --replay "$work/found.motet" "$FIRMWARE/dip-telosb-checked.elf"
expect_complaint "another kind of processor"
size=$(wc -c <"$work/found.motet")
head -c $((size / 2)) "$work/found.motet" >"$work/half.motet"
motet check --replay "$work/half.motet"
expect_complaint "half.motet"
finish
