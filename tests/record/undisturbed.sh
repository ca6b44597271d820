#!/bin/sh
# usage: undisturbed.sh MOTET EXACT OFF [all]
# Firmware that never sleeps goes on as it does without recording: no tick of its timer is lost, interrupts are off for no more than
# cycles.txt says (tests/record/off.c measures it to the cycle), and it keeps so much of its work. What is recorded of it replays
# exactly.
# For telosb the support files of the build are in FIRMWARE (environment); without them it is left out.
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
motet=$1 exact=$2 off=$3
off_of() { # FAMILY: microseconds
    awk -v family="$1" '$1 == family && $2 == "off" { print $3 }' "$here/../../target/recorder/cycles.txt"
}

# Ticks and work in the second that follows the first half.
cat >"$work/count.lua" <<.
local ticks, rounds
at(0.5, function() ticks, rounds = node.var.ticks, node.var.rounds end)
at(1.5, function() print("counted", node.var.ticks - ticks, node.var.rounds - rounds) end)
.

build() { # OUTPUT COMPILER...
    output=$1
    shift
    "$@" -std=gnu11 -Os -gdwarf-4 -o "$output" "$here/undisturbed.c" || exit 1
}
target=$here/../../target
msp430="clang-19 --target=msp430 -std=gnu11 -mmcu=msp430f1611 -mhwmult=16bit -isystem $target/msp430/include -isystem
    /usr/msp430/include -ffunction-sections -fdata-sections -gdwarf-4 -Os"
link_msp430() { # OUTPUT OBJECT...
    output=$1
    shift
    ld.lld-19 --gc-sections -L /usr/msp430/lib/ldscripts/msp430f1611 -T "$target/msp430/link.x" --defsym=motet_build_id=0x5a5a \
        -o "$output" "$FIRMWARE/msp430-start.o" "$@" "$FIRMWARE/support-16bit/support.a" || exit 1
}
# shellcheck disable=SC2086
build_both() { # OPTION...: unrecorded.elf and recorded.elf
    if [ "$board" = telosb ]; then
        $compiler -c -o "$work/plain.o" "$here/undisturbed.c" && link_msp430 "$work/unrecorded.elf" "$work/plain.o" &&
            "$motet" cc --board telosb "$@" -- $compiler -c -o "$work/program.o" "$here/undisturbed.c" &&
            "$motet" cc --board telosb "$@" --recorder -- $compiler -c -o "$work/recorder.o" &&
            link_msp430 "$work/recorded.elf" "$work/program.o" "$work/recorder.o" || exit 1
    else
        build "$work/unrecorded.elf" $compiler
        build "$work/recorded.elf" "$motet" cc --board "$board" "$@" -- $compiler
    fi
}
run() { # FIRMWARE: sets counted_ticks, counted_rounds and the most ticks of the clock that an interrupt waited
    "$motet" run "$1" --board "$board" --for 1.6s --quiet --script "$work/count.lua" --monitor interrupts \
        --save-flash "$work/flash" >"$work/said" 2>&1 </dev/null || {
        cat "$work/said"
        exit 1
    }
    counted_ticks=$(awk '$1 == "counted" { print $2 }' "$work/said")
    counted_rounds=$(awk '$1 == "counted" { print $3 }' "$work/said")
    waited=$(awk '/timer0|timer_b/ { of = 1 } of && /waits/ { sub(/.*most /, ""); print $1 + 0; exit }' "$work/said")
}

# check BOARD KIND LEAST OPTION...: so many per cent of the work, and of what happened in the log a part without gaps
check() {
    board=$1 kind=$2 least=$3
    shift 3
    case $board in
    micaz) compiler="avr-gcc -mmcu=atmega128" clock=73728 family=avr ;;
    telosb) compiler=$msp430 clock=10737418 family=msp430 ;; # waits are in units of 2^-30 s there
    *) compiler="avr-gcc -mmcu=atmega328p" clock=160000 family=avr ;;
    esac
    case "$*" in
    *--profile*) most=$(($(off_of $family-lean) * clock / 10000)) stretches=no ;;
    *) most=$(($(off_of $family) * clock / 10000)) stretches=yes ;;
    esac
    case $kind in
    work) compiler="$compiler -DWORK" ;;
    slow) compiler="$compiler -DSLOW" ;;
    esac
    build_both "$@"
    run "$work/unrecorded.elf"
    all_ticks=$counted_ticks all_rounds=$counted_rounds
    run "$work/recorded.elf"
    share=$((counted_rounds * 100 / all_rounds))
    echo "$board $kind $*: $counted_ticks of $all_ticks ticks, $share % of the work, interrupts off for $waited cycles"
    if [ $((all_ticks - counted_ticks)) -gt 1 ] || [ "$share" -lt "$least" ] || [ "$waited" -gt "$most" ]; then
        echo "undisturbed.sh: that is too few, or too long: all ticks but one, $least %, $most cycles are allowed"
        failures=$((failures + 1))
    fi
    if [ $stretches = yes ] && ! "$off" "$work/recorded.elf" "$board" 0.7 "$(off_of $family)" >"$work/said" 2>&1; then
        cat "$work/said"
        failures=$((failures + 1))
    fi
    "$motet" collect "$work/flash" --output "$work/log" >"$work/said" 2>&1
    grep -q 'lost' "$work/said" && {
        echo "undisturbed.sh: something was lost:"
        cat "$work/said"
        failures=$((failures + 1))
    }
    "$exact" "$work/recorded.elf" "$board" 1.5 20000 >"$work/said" 2>&1 || {
        cat "$work/said"
        failures=$((failures + 1))
    }
}

if [ -n "${FIRMWARE-}" ]; then
    check telosb work 58 --profile small
    check telosb work 43
fi
check uno-flash work 82
check micaz work 75 --stamp timer3
check micaz slow 55
if [ "${4-}" = all ]; then
    check uno-flash work 90 --stamp timer1
    check uno-flash read 0 --when-full wait
    check micaz work 53
    check micaz read 2
    check micaz work 85 --profile small --stamp timer3
    check micaz work 76 --profile small
    if [ -n "${FIRMWARE-}" ]; then
        check telosb read 1
        check telosb work 63 --stamp timera
        check telosb work 67 --profile small --stamp timera
        check telosb read 1 --profile small
    fi
fi

# More happens than can be written: the log has gaps, and goes on after each.
board=uno-flash
build "$work/recorded.elf" "$motet" cc --board uno-flash -- avr-gcc -mmcu=atmega328p
run "$work/recorded.elf"
"$motet" collect "$work/flash" --output "$work/log" >"$work/said" 2>&1
parts=$(grep -c 'from a checkpoint.*lost' "$work/said")
if [ "$parts" -lt 3 ] || ! grep -q 'part 0: .*from the start, [0-9]* pages.*lost' "$work/said"; then
    echo "undisturbed.sh: a log with gaps, $parts parts after them:"
    cat "$work/said"
    failures=$((failures + 1))
fi
"$off" "$work/recorded.elf" uno-flash 0.7 "$(off_of avr)" --checkpoints >"$work/said" 2>&1 && ! grep -q ' 0 ends' "$work/said" || {
    cat "$work/said"
    failures=$((failures + 1))
}
"$exact" "$work/recorded.elf" uno-flash 0.5 10000 >"$work/said" 2>&1 || {
    cat "$work/said"
    failures=$((failures + 1))
}
"$motet" cc --when-full never -- avr-gcc 2>"$work/said" && failures=$((failures + 1))
grep -q 'gap and wait' "$work/said" || failures=$((failures + 1))
finish
