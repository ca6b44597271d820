# Loops that only wait are passed over: the state, the counts and what monitors see are those of a run that executes every
# round (MOTET_EVERY_ROUND=1). $WAIT_KIND: avr or msp430. Every shape of loop, at several optimisation levels and phases.
. "$SOURCE/tests/lib/expect.sh"

case $WAIT_KIND in
avr) board=micaz last=17 levels="O1 Os O2 O3" ;;
msp430) board=telosb last=12 levels="O1 Os O2" ;;
esac

digest() { # EVERY ARGUMENTS...: the digest, cycles and instructions at the end of a run
    every=$1
    shift
    MOTET_EVERY_ROUND=$every "$MOTET" run --board $board --digest "$@" </dev/null 2>&1 >"$work/out-$every" |
        sed -n -e 's/.*simulated in [^,]*, //p' -e 's/.*digest //p'
}

same() { # ARGUMENTS...
    command="MOTET_EVERY_ROUND=1 motet run --board $board --digest $*"
    passed=$(digest 0 "$@")
    executed=$(digest 1 "$@")
    [ -n "$passed" ] || fail "there should be a digest"
    [ "$passed" = "$executed" ] || fail "it ends as '$passed' with loops passed over, as '$executed' without"
    cmp -s "$work/out-0" "$work/out-1" || fail "what is printed should be the same"
}

phase=1
for again in 1 2; do
    for level in $levels; do
        elf=$FIRMWARE/wait-$WAIT_KIND-$level.elf
        shape=0
        while [ $shape -le $last ]; do
            phase=$(((phase * 1103 + 12345) % 32768))
            same --for $((40000 + phase))us --set shape=$shape --set seed=$phase "$elf"
            shape=$((shape + 1))
        done
    done
done

elf=$FIRMWARE/wait-$WAIT_KIND-O2.elf
# Several nodes, in one thread and in two, which run in windows.
same --nodes 3 --topology line:3:5m --threads 1 --boot 3ms --for 30ms --set shape=11 "$elf"
one=$passed
same --nodes 3 --topology line:3:5m --threads 2 --boot 3ms --for 30ms --set shape=11 "$elf"
[ "$one" = "$passed" ] || fail "one thread and two should end the same"
# Nodes that wait stay behind the others and are brought up to the time where the run ends, or goes on.
for end in 21000us 30017us; do
    same --nodes 9 --topology grid:3x3:5m --threads 2 --boot 15ms --for $end --set shape=0 "$elf"
done
for kit in multihop-oscilloscope dissemination; do
    elf=$FIRMWARE/$kit-$board.elf
    [ ! -e "$elf" ] || same --nodes 9 --topology grid:3x3:8m --threads 2 --boot 50ms --for 700ms "$elf"
done
# What is waited for comes in the last instruction before a window's end.
elf=$FIRMWARE/wait-strobes-telosb.elf
[ $board != telosb ] || same --nodes 3 --topology line:3:5m --threads 1 --boot 3ms --for 400ms "$elf"
elf=$FIRMWARE/wait-$WAIT_KIND-O2.elf
# What looks at each instruction, takes samples, or counts them.
for monitor in profile coverage calls:limit=2000; do
    same --for 20ms --set shape=2 --monitor $monitor "$elf"
    same --for 20ms --set shape=12 --monitor $monitor "$elf"
done

# A run that was saved is the same from any of its snapshots, with loops passed over or not.
for every in 0 1; do
    MOTET_EVERY_ROUND=$every "$MOTET" run --board $board --for 60ms --set shape=10 --save "$work/run.motet" "$elf" </dev/null >"$work/log" 2>&1
    command="MOTET_EVERY_ROUND=$((1 - every)) motet open --verify run.motet"
    MOTET_EVERY_ROUND=$((1 - every)) "$MOTET" open --verify "$work/run.motet" >"$work/out" 2>"$work/err" || fail "the saved run should verify"
done
finish
