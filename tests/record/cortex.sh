#!/bin/sh
# usage: cortex.sh MOTET EXACT ARM-GCC SOURCES reads|busy|levels|refusals|cli|power; POWER is cortex_power, CHANGED is changed
# Recording on Cortex-M: programs built with motet cc at all levels of optimisation are exact in replay, or refused, or stop
# where a read was not recorded. SOURCES is the folder of the project.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 exact=$2 gcc=$3 sources=$4 what=$5
here=$sources/tests/record
flags="-mcpu=cortex-m4 -mthumb -std=gnu11 -ffreestanding -g -Wall -Wextra -Werror -isystem $sources/target/msp430/include -I$sources/target/include"
link="-nostdlib -T $sources/target/cortex/nrf52840.ld"
cd "$work" || exit 1

build() { # OUTPUT OPTION-OR-FILE...: with the recorder
    out=$1
    shift
    # shellcheck disable=SC2086
    "$motet" cc --board nrf52840dk -- "$gcc" $flags $link -o "$out" "$@" -lgcc >out 2>err || fail "$out is not built: $*"
}
is_exact() { # SECONDS LEAST OPTION...
    seconds=$1 least=$2
    shift 2
    "$exact" "$@" program.elf nrf52840dk "$seconds" "$least" >out 2>err || fail "not exact: $*"
}
# shellcheck disable=SC2086
"$gcc" $flags -O1 -fno-builtin -fno-tree-loop-distribute-patterns -c "$sources/target/msp430/string.c" -o string.o || exit 1

case $what in
reads)
    for level in -O0 -O2 -Os; do
        build program.elf $level "$sources/target/cortex/start.c" "$here/cortex_reads.c" string.o
        is_exact 0.4 20000
    done
    for number in 1 2 3 4 5 6 7; do
        build program.elf -Os -DSTOPS=$number "$sources/target/cortex/start.c" "$here/cortex_reads.c" string.o
        "$motet" run program.elf --board nrf52840dk --for 0.1s --quiet --save-flash flash >out 2>err
        "$motet" replay flash --elf program.elf --board nrf52840dk >out 2>err
        status=$?
        words="this read was not recorded: register 0x40009544"
        [ $number != 7 ] || words="writes program memory at 0xb0000"
        [ $status = 1 ] && grep -q "$words" err || fail "way $number is not stopped"
    done
    ;;
busy)
    hard="-mfloat-abi=hard -mfpu=fpv4-sp-d16"
    for options in "-O0 $hard" "-O2" "-Os $hard" ${SECONDS_EACH:+-O0 -Os -O3}; do
        # shellcheck disable=SC2086
        build program.elf $options "$here/cortex_busy.c"
        is_exact "${SECONDS_EACH:-0.25}" 150000
    done
    ;;
levels)
    kit=$sources/firmware/kit
    for level in -O0 -O2; do
        build program.elf $level -DBOARD_NRF52840DK -I"$kit" -ffunction-sections -fdata-sections -Wl,--gc-sections \
            "$sources/target/cortex/start.c" "$sources/firmware/apps/sense.c" "$kit/trap.c" "$kit/task.c" "$kit/timer.c" \
            "$kit/board.c" "$kit/leds.c" "$kit/resource.c" "$kit/adc.c" "$kit/cortex/nrf52840dk.c" string.o
        is_exact 10 40000
    done
    ;;
refusals)
    refuses() { # WORDS [OPTION...]: of in.c
        words=$1
        shift
        rm -f program.elf
        # shellcheck disable=SC2086
        "$motet" cc --board nrf52840dk "$@" -- "$gcc" $flags $link -Os -o program.elf "$sources/target/cortex/start.c" in.c \
            -lgcc >out 2>err
        status=$?
        [ $status = 2 ] && grep -q -- "$words" err && [ ! -e program.elf ] || fail "not refused: $words"
    }
    body() { printf '#include <stdint.h>\n%s\n' "$*" >in.c; }
    body 'struct b { uint32_t low : 4; }; int main(void) { return ((volatile struct b *)0x4000d508)->low; }'
    refuses "in.c:2:.*bit-field"
    body 'int main(void) { ++*(volatile uint32_t *)0x40008540; }'
    refuses "in.c:2:.*changed in place"
    body 'int main(void) { return (int)*(volatile uint64_t *)0x40008540; }'
    refuses "not of 1, 2 or 4 bytes"
    body 'int main(void) { __asm__("" ::"r"(*(volatile uint32_t *)0x40008540)); }'
    refuses "inline assembly gets register 0x40008540"
    body 'int main(void) { *(volatile uint32_t *)0x4001e504 = 1; }'
    refuses "writing NVMC.CONFIG changes program memory"
    body 'int main(void) { *(volatile uint32_t *)0xe000ed08 = 0x20000000; }'
    refuses "writing VTOR: the recorder needs it"
    body 'static uint8_t b[128]; int main(void) { *(volatile uint32_t *)0x40001504 = (uint32_t)b; }'
    refuses "RADIO.PACKETPTR lets hardware fill memory"
    body '__attribute__((constructor)) static void early(void) {} int main(void) {}'
    refuses "early runs before main begins"
    body 'int main(void) { __asm__ volatile("cmp r0, #0\n\tit ne\n\twfine" ::: "cc"); return 0; }'
    refuses "WFI or WFE in a form"
    body '__attribute__((section(".noinit"))) uint32_t kept; int main(void) { return (int)kept; }'
    refuses "section .noinit keeps its contents"
    body 'int main(void) { return 0; }'
    refuses "--stamp dwt, which is the default" --stamp timer3
    refuses "one codec and one profile" --codec plain
    refuses "one codec and one profile" --profile small
    refuses "not there for it yet" --log-interface in.c
    "$motet" cc -- "$gcc" -c in.c -o in.o >out 2>err
    grep -q "give --board BOARD" err || fail "no board"
    printf 'int main() {}\n' >in.cpp
    "$motet" cc --board nrf52840dk -- "$gcc" -c in.cpp -o in.o >out 2>err
    grep -q "C++ cannot be recorded on Cortex-M" err || fail "C++"
    "$motet" cc --board samr21-xpro -- "$gcc" -c in.c -o in.o >out 2>err
    grep -q "no register file for samr21" err || fail "another chip"
    # shellcheck disable=SC2086
    "$motet" cc --stamp dwt --board nrf52840dk -- "$gcc" $flags -c in.c -o in.o >out 2>err || fail "--stamp dwt"
    ;;
power)
    build program.elf -Os "$here/cortex_busy.c"
    "$POWER" program.elf nrf52840dk 0.4 "${CUTS:-12}" >out 2>err || fail "power"
    ;;
cli)
    build program.elf -Os "$here/cortex_busy.c"
    build other.elf -O2 "$here/cortex_busy.c"
    "$motet" run program.elf --board nrf52840dk --for 0.3s --save-flash flash --quiet >out 2>err || fail "run"
    "$motet" collect flash --output log >out 2>err
    status=$?
    grep -q "codec words, from the start" out || fail "collect"
    "$motet" replay log --elf program.elf --board nrf52840dk --json >out 2>err
    status=$?
    [ $status = 0 ] && grep -q '"differs": false' out || fail "replay"
    "$motet" replay log --elf other.elf --board nrf52840dk >out 2>err
    grep -q "give the firmware that recorded it" err || fail "another build"
    "$motet" replay log --elf program.elf --board nrf52840dk --native >out 2>err
    grep -q "cannot become a native program" err || fail "native"
    "$motet" replay 1:log 2:log --elf program.elf --board nrf52840dk --time pended/100 >out 2>err
    grep -q "cannot be merged" err || fail "several logs"
    "$motet" replay log --elf program.elf --board nrf52840dk --plot pended --monitor calls >out 2>err || fail "monitors"
    # A node goes on in a flash that has a log: each start is a part.
    "$motet" run program.elf --board nrf52840dk --for 0.2s --flash flash --save-flash again --quiet >out 2>err || fail "again"
    "$motet" replay again --elf program.elf --board nrf52840dk --part all >out 2>err || fail "two parts"
    grep -q "in 2 stretches" err || fail "two parts"
    # A page that was damaged, or a log changed with valid checks of its pages.
    bytes=$(wc -c <log)
    for at in 400 1500 3000; do
        { head -c $at log && head -c $((at + 1)) log | tail -c 1 | tr '\000-\377' '\001-\377\000' && tail -c $((bytes - at - 1)) log; } >damaged
        "$motet" collect damaged >out 2>err
        grep -q "1 damaged.* 1 are missing" out || fail "damaged at $at"
    done
    "$CHANGED" program.elf nrf52840dk 0.3 "${CHANGES:-48}" >out 2>err || fail "changed"
    # gdb goes back and forth in the replay, and finds the same again.
    if command -v gdb-multiarch >/dev/null; then
        cat >commands <<'.'
set height 0
break pendsv
ignore 1 4
continue
print pended
print random_state
reverse-continue
reverse-continue
print pended
continue
continue
print random_state
print pended
.
        "$motet" replay log --elf program.elf --board nrf52840dk --exec "gdb-multiarch -q -nx -batch -x commands" >out 2>err </dev/null
        [ "$(grep -c '^\$' out)" = 5 ] || fail "gdb"
        [ "$(sed -n 's/^\$2 = //p' out)" = "$(sed -n 's/^\$4 = //p' out)" ] || fail "gdb comes to another state"
        [ "$(sed -n 's/^\$3 = //p' out)" = $(($(sed -n 's/^\$1 = //p' out) - 2)) ] || fail "gdb does not go back"
    fi
    ;;
esac
finish
