# Bugs that need an interrupt between two instructions: a torn read, a lost update, a third nested interrupt. They are
# found with --preempt, in one or two choices, and by default, by the walks that bring interrupts there; not without such
# interrupts. What is found is executed again exactly.
. "$SOURCE/tests/lib/expect.sh"
none=25
[ -z "${LONG:-}" ] || none=100
check() { motet check --board uno --steady 100ms --length 10s --walks 100 --save "$work/found.motet" "$@"; }

for bug in torn lost nested; do
    check --weight preempt=0 --walks $none "$FIRMWARE/check-$bug.elf"
    expect_status 0
    expect_out "no violation in $none walks of 10 s"
    check "$FIRMWARE/check-$bug.elf"
    expect_status 1
    expect_out "comes just after"
    check --preempt "$FIRMWARE/check-$bug.elf"
    expect_status 1
    case $bug in
    torn) expect_out "departs from the plain run 1 time " ;;
    *) expect_out "departs from the plain run 2 times " ;;
    esac
    case $bug in
    nested) expect_out "stack" && expect_out "comes just after serve" ;;
    *) expect_out "abort() was called" && expect_out "an interrupt of timer0 comes just after main" ;;
    esac
    motet check --replay "$work/found.motet" --json
    expect_status 1
    expect_out '"same": true'
    motet open --verify "$work/found.motet"
    expect_status 0
done

# Back and forth in a debugger: the interrupt comes at the same place each time.
check --preempt "$FIRMWARE/check-torn.elf"
printf 'continue\nwhen\nreverse-stepi 40\nwhen\nstepi 20\nreverse-stepi 20\nwhen\n' >"$work/commands"
motet debug --line "$work/found.motet" <"$work/commands"
expect_status 0
grep 's, instruction' "$work/out" >"$work/positions"
[ "$(sed -n 2p "$work/positions")" = "$(sed -n 3p "$work/positions")" ] || fail "steps forward and back should lead there"

motet check --preempt --board uno --steady 100ms --length 2s --deviations 1 --save "$work/found.motet" \
    "$FIRMWARE/check-torn.elf"
expect_status 1
expect_out "departs from the plain run 1 time:"
motet check --preempt --board micaz --nodes 2 --walks 20 --save "$work/found.motet" "$FIRMWARE/dip-micaz-checked.elf"
expect_status 0
finish
