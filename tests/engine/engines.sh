#!/bin/sh
# usage: engines.sh MOTET FIRMWARE_DIR
# Whatever is done with a firmware, the translator gives what the loop gives: output, status, digests, counts, faults,
# what monitors find, saved runs, counterexamples.
MOTET=$1 firmwares=$2
. "$(dirname "$0")/../lib/expect.sh"

# Times of this computer, and names of files, are no results.
results() { sed -e 's/simulated in [^,]*, //' -e 's/"wall_time": [0-9.]*, //' -e 's/(checked in .*//' "$1"; }

input=/dev/null
both() { # ARGUMENTS
    for engine in loop translate:1; do
        MOTET_ENGINE=$engine motet "$@" <"$input"
        results "$work/out" >"$work/out.$engine"
        results "$work/err" >"$work/err.$engine"
        echo "$status" >>"$work/err.$engine"
    done
    for stream in out err; do
        cmp -s "$work/$stream.loop" "$work/$stream.translate:1" || {
            diff "$work/$stream.loop" "$work/$stream.translate:1" >"$work/err"
            : >"$work/out"
            fail "the engines differ in std$stream: MOTET_ENGINE=translate:1"
        }
    done
}

firmware() { firmware=$firmwares/$1.elf; shift; [ ! -f "$firmware" ] || both "$@"; }

# ---- programs: interrupts and devices, optimised differently, with several stacks, that program themselves ----
for name in busy-atmega328p busy-atmega2560 busy-msp430f1611 busy-msp430f149 power-boot-atmega328p \
    power-boot-atmega128; do
    firmware $name run "$firmwares/$name.elf" --board "${name##*-}" --for 300ms --digest --json
done
firmware stack-threads-2560 run "$firmwares/stack-threads-2560.elf" --board atmega2560 --for 300ms --digest --json
for name in crc mixed sort16; do
    firmware bench-$name-msp430f1611 run "$firmwares/bench-$name-msp430f1611.elf" --board msp430f1611 --for 1s --digest
done
programs="sort recursion jumps" each=5 # in the suite; `make soak` has all
[ -z "${LONG:-}" ] || programs="sort floats recursion heap wide jumps frames" each=1
for program in $programs; do
    for chip in atmega328p atmega2560 attiny85; do # -Os, -O0, -Os
        firmware lockstep-$program-$chip run "$firmwares/lockstep-$program-$chip.elf" --for 100ms --digest --json
    done
done

# ---- faults, with their place and call chain ----
number=0
for fault in "$firmwares"/fault-*.elf; do
    case $fault in *msp430*) board="--board msp430f1611" ;; *) board= ;; esac
    number=$((number + 1))
    [ $((number % each)) = 0 ] || continue
    both run "$fault" $board --for 200ms --digest
    [ $((number % 4)) != 0 ] || both run "$fault" $board --for 20ms --digest --fault warn # it goes on after them alike
done

# ---- what looks changes nothing ----
busy=$firmwares/busy-atmega328p.elf
for monitor in profile instructions calls memory trace interrupts stack sampling:period=100; do
    both run "$busy" --for 50ms --digest --monitor $monitor
done
both run "$busy" --for 200ms --digest --trace leds,pins,serial

# ---- saved and opened, forward and backward ----
MOTET_ENGINE=translate:1 motet run "$busy" --for 200ms --save "$work/run.motet" --digest
both open "$work/run.motet" --json
MOTET_ENGINE=translate:1 motet open "$work/run.motet" --verify
expect_status 0
printf 'break main\ncontinue\nstepi 2000\nreverse-stepi 500\ndelete\nseek 40ms\nwhen\nprint $pc\nreverse-stepi\nprint $pc\n' >"$work/commands"
input=$work/commands
both debug "$busy" --line --for 100ms
input=/dev/null

# ---- networks: any number of threads ----
beacon=$firmwares/network-cc2420-beacon.elf
[ ! -f "$beacon" ] || for threads in 1 2; do
    both run "$beacon" --board micaz --nodes 4 --for 2s --digest --threads $threads
    cp "$work/err.loop" "$work/threads.$threads"
done
[ ! -f "$beacon" ] || cmp -s "$work/threads.1" "$work/threads.2" || fail "one and two threads differ"
awake=$firmwares/network-cc2420-awake.elf # in translated code when a window ends
[ ! -f "$awake" ] || for threads in 1 2 8; do
    both run "$awake" --board micaz --nodes 5 --boot 3ms --drift 40ppm --for 700ms --digest --threads $threads
    grep digest "$work/err.loop" >>"$work/awake"
done
[ ! -f "$awake" ] || [ "$(sort -u "$work/awake" | wc -l)" -eq 1 ] || fail "one, two and eight threads differ"
for end in 'boot = 0.3001, firmware = "'$firmwares'/fault-erased_flash.elf"' 'firmware = "'$busy'"'; do # one node ends, or none
    { printf 'for i = 0, 3 do node{ id = i, board = "micaz", firmware = "%s", x = 5 * i, boot = 0.001 * i } end\n' "$awake"
      printf 'node{ id = 9, board = "atmega328p", %s }\n' "$end"; } >"$work/ends.lua"
    [ ! -f "$awake" ] || both run "$work/ends.lua" --for 400ms --digest
done
firmware network-cc2420-beacon check "$beacon" --board micaz --nodes 2 --walks 4 --steady 1s --length 1s --workers 2

# ---- the option ----
motet run "$busy" --for 10ms --engine translate --digest
digest=$(grep digest "$work/err")
motet run "$busy" --for 10ms --engine loop --digest
expect_err "$digest"
motet run "$busy" --engine jit
expect_complaint "there is no engine 'jit'; there are loop, translate and translate:INSTRUCTIONS"
motet run "$busy" --engine translate:x
expect_complaint "there is no engine 'translate:x'"
MOTET_ENGINE=fast motet run "$busy"
expect_complaint "there is no engine 'fast'"
finish
