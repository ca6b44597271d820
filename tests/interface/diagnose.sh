# Faults, each diagnosed as LibReplay says (5.1), on both instruction sets: a value error is watched inside, though no
# variable was chosen when the log was made; a crash inside happens again; a crash from outside, by other code or by the
# supply, is one where log and replay part; memory overwritten from outside is named.
. "$SOURCE/tests/lib/expect.sh"
for chip in atmega328p msp430f1611; do
    pump() { # FAULT [OPTIONS OF motet run]
        elf=$FIRMWARE/interface-pump-$chip-$1.elf
        shift
        motet run --quiet --board $chip --for 1s --log-interface "pump.c=$work/pump.ilog" "$@" "$elf"
    }
    replayed() { motet replay --board $chip --elf "$elf" "$@" "$work/pump.ilog"; }

    # No fault: nothing is said.
    pump none
    replayed
    expect_status 0
    expect_not_in_err crash
    expect_not_in_err 'others had changed'

    # A value error: the valve closes though the levels are high. The replay is exact, and every variable can be watched.
    pump value
    replayed
    expect_status 0
    printf '%s\n' 'break pump_quiet if levels[0] > 40' continue 'print levels[0]' 'last-write levels[0]' quit |
        replayed --line
    expect_status 0
    expect_out 'pump_quiet'
    expect_out 'levels[0] was written at'

    # A crash inside comes again, where the log ends.
    pump crash
    expect_status 1
    replayed
    expect_status 1
    expect_err 'inside pump_level, where the log ends: so did the node'
    expect_err 'a jump or return to a wrong address leads here'
    replayed --json
    expect_status 1
    jq -e '.differs == false' "$work/out" >"$work/jq" || fail "a crash that the node had, too, is no difference"

    # A crash from outside: in code that was not logged, ...
    pump outside
    expect_status 1
    replayed
    expect_status 0
    expect_err 'outside the component, in valve_open'
    # ... or of the supply, while the component is executed: it goes on, which the node did not.
    case $chip in
    atmega328p) cut=110us ;;
    *) cut=2100us ;;
    esac
    elf=$FIRMWARE/interface-pump-$chip-none.elf
    for more in 0 1 2 3 4 5; do # one of these moments is inside
        motet run --quiet --board $chip --for "$((${cut%us} + more * 7))us" --log-interface "pump.c=$work/pump.ilog" "$elf"
        replayed
        expect_status 0
        grep -Eq 'inside pump_level: the component goes on to (call valve_open|return), which the node did not' \
            "$work/err" && break
    done
    [ $? -eq 0 ] || fail "a node without power should not be where the replay goes on"

    # Memory overwritten from outside: the variable, and the first event that saw it.
    pump overwrite
    expect_status 0
    replayed
    expect_status 0
    expect_err 'others had changed its variables at 1 reads, first pump_limit at event'
done
finish
