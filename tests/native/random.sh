#!/bin/bash
# Random programs, on the simulated chip and as native programs: what they print must be the same, or the native
# program is refused with its place. Each seed that differs is named with the command that tries it again.
# usage: random.sh MOTET FIRMWARE-FOLDER SOURCE-FOLDER (csmith|arithmetic|order) (avr|msp430) (FIRST-SEED LAST-SEED|soak COUNT)
set -u
motet=$1 firmware=$2 source=$3 generator=$4 target=$5 first=$6 last=$7
here=$source/tests/native
[ "$first" = soak ] && seeds=$("$source/tests/lib/seeds" "$last") || seeds=$(seq "$first" "$last")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
printf 'integer size = 2\npointer size = 2\n' >platform.info

# csmith makes no program that depends on the order of operands, and none whose pointers let that be seen.
case $generator in
csmith) options=--any-order ;;
*) options= ;;
esac

generate() {
    case $generator in
    csmith) csmith --seed "$1" --no-argc --concise --max-funcs 3 --max-block-depth 3 --max-array-len-per-dim 4 \
        --max-array-dim 2 --max-expr-complexity 6 --max-pointer-depth 2 >program.c ;;
    arithmetic) python3 "$here/generate.py" "$1" >program.c ;;
    order) python3 "$here/order.py" "$1" >program.c ;;
    esac
}

headers="-w -I$here/csmith -I/usr/include/csmith -I$source/target/include"
case $target in
avr) compiler="avr-gcc -mmcu=atmega2560 -std=gnu11 -Os $headers" board=mega ;;
msp430) compiler="clang-19 --target=msp430 -mmcu=msp430f1611 -mhwmult=16bit -std=gnu11 -Os -isystem \
    $source/target/msp430/include -isystem /usr/msp430/include $headers" board=telosb ;;
esac

build() {
    if [ "$target" = avr ]; then
        $compiler program.c -o program.elf
    else
        $compiler -c program.c -o program.o && ld.lld-19 --gc-sections -L /usr/msp430/lib/ldscripts/msp430f1611 \
            -T "$source/target/msp430/link.x" -o program.elf "$firmware/msp430-start.o" program.o \
            "$firmware/support-16bit/support.a"
    fi >build.out 2>&1
}

same=0 refused=0 silent=0 bad=0
for seed in $seeds; do
    generate "$seed"
    rm -f program.elf program.native
    # A program that does not fit the chip, or does not end, says nothing about native programs.
    if ! build || ! "$motet" run program.elf --board $board --for 5s --until-exit --quiet >chip.out 2>&1 || [ ! -s chip.out ]; then
        silent=$((silent + 1))
        continue
    fi
    if ! "$motet" cc --native $options -- $compiler program.c -o program.native >native.err 2>&1; then
        if grep -qE '^program.c:[0-9]+: ' native.err; then
            refused=$((refused + 1))
        else
            bad=$((bad + 1))
            echo "$generator $target seed $seed: no native program, and no place: $(head -3 native.err)"
        fi
        continue
    fi
    timeout 20 ./program.native >native.out 2>&1
    status=$?
    if [ $status = 0 ] && cmp -s chip.out native.out; then
        same=$((same + 1))
    else
        bad=$((bad + 1))
        echo "$generator $target seed $seed differs: chip $(head -1 chip.out), native $(head -1 native.out) (status $status)"
        diff chip.out native.out | head -4
    fi
done
echo "$generator $target: $same same, $refused refused, $silent without a result on the chip, $bad differ"
[ $bad = 0 ] && [ $same -gt 0 ]
