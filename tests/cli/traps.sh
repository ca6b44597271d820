# Firmware that gives itself up: checks of the compiler that fail, by kind and line; abort() and assert() of its own.
. "$SOURCE/tests/lib/expect.sh"
boards=uno
[ -e "$FIRMWARE/fault-trap-msp430.elf" ] && boards="uno msp430f149"

traps() { # BUILD WAY
    [ "$board" = uno ] && elf="$FIRMWARE/fault-trap$1.elf" || elf="$FIRMWARE/fault-trap$1-msp430.elf"
    motet run --for 1s --board "$board" --set "which=$2" --json "$elf" </dev/null
    expect_status 1
    expect_err "stopped at the fault"
    jq -e '.exit_reason == "fault" and .nodes[0].fault.kind == "trap"' "$work/out" >/dev/null || fail "the fault should be a trap"
}

cause() { jq -e ".nodes[0].fault.cause == \"$1\"" "$work/out" >/dev/null || fail "the cause should be $1"; }

index() { # INDEX BOUND
    cause index-out-of-bounds
    jq -e ".nodes[0].fault.index == $1 and .nodes[0].fault.bound == $2" "$work/out" >/dev/null || fail "it should be index $1 of $2"
    expect_err "index $1, where 0 to $(($2 - 1)) are allowed"
}

for board in $boards; do
    # The checks of one function share a call of abort, which says neither the kind nor the line.
    traps "" 1
    expect_err "index out of bounds at fill+0x"
    expect_err "(trap.c:20)"
    expect_err "    main+0x"
    index 12 10
    traps "" 2
    expect_err "(trap.c:21)"
    index 300 300
    traps "" 3
    expect_err "(trap.c:21)"
    index -2 300
    traps "" 4
    expect_err "null pointer at fill+0x"
    expect_err "(trap.c:20)"
    expect_err "the pointer is null"
    cause null-pointer
    traps "" 5
    expect_err "null pointer at fill+0x"
    expect_err "(trap.c:22)"
    cause null-pointer
    traps "" 6
    expect_err "index out of bounds at single+0x"
    cause index-out-of-bounds
    traps "" 7
    expect_err "null pointer at follow+0x"
    expect_err "(trap.c:32)"
    expect_err "    main+0x"

    # Comparisons as they are without optimisation.
    traps -O0 2
    expect_err "(trap.c:21)"
    index 300 300
    traps -O0 3
    index -2 300
    traps -O0 5
    expect_err "(trap.c:22)"
    cause null-pointer

    # What the source calls is no check, in whatever build.
    for build in "" -O0 -unchecked; do
        traps "$build" 8
        expect_err "trap at give_up+0x"
        expect_err "(trap.c:38)"
        expect_err "abort() was called"
        cause abort
        [ "$build" != -O0 ] || continue # where debug information does not describe calls
        traps "$build" 9
        expect_err "(trap.c:43)"
        cause abort
    done

    # Nothing goes wrong: nothing is said.
    motet run --for 1s --board "$board" "$elf" </dev/null
    expect_status 0
done

# With more checks, or none that are known, what else it can be is said as well.
board=uno
traps -undefined 1
index 12 10
traps -undefined 4
expect_err "null pointer or division by zero at fill+0x"
cause null-pointer-or-division-by-zero
if [ "$boards" != uno ]; then
    board=msp430f149
    traps -unsaid 4
    cause null-pointer-or-division-by-zero
fi

motet run --for 1s --json "$FIRMWARE/fault-trap-assert.elf" </dev/null
expect_status 1
expect_err "failed assertion at main+0x"
expect_err "(trap_assert.c:9)"
cause assertion

# As for the other kinds. avr-libc's abort ends the program with status 1. Marks are no part of the state.
motet run --for 1s --fault trap=warn --digest --set which=4 "$FIRMWARE/fault-trap.elf" </dev/null
expect_status 3
expect_err "null pointer at fill+0x"
expect_err "the firmware ended the run with status 1"
digest=$(grep digest "$work/err")
motet run --for 1s --fault trap=ignore --digest --set which=4 "$FIRMWARE/fault-trap.elf" </dev/null
expect_status 3
expect_not_in_err "null pointer"
expect_err "$digest"
motet run --for 1s --fault trap=later "$FIRMWARE/fault-trap.elf" </dev/null
expect_complaint "'later' is not something to do about a fault"
finish
