#!/bin/sh
# usage: registers.sh MOTET
# What the recorder is told of a chip, by the chip's table: where a checkpoint finds how devices are set up, without registers
# whose reading changes something, and the facts for its sources. What is wrong in a table is said with its line.
. "$(dirname "$0")/../lib/core.sh"
motet=$1
printf '#!/bin/sh\nexit 3\n' >"$work/avr-gcc"
cp "$work/avr-gcc" "$work/msp430-gcc"
chmod +x "$work/avr-gcc" "$work/msp430-gcc"
mkdir "$work/registers" "$work/kept"

chip() { # OPTION...: what the recorder's sources would include, or why not
    rm -f "$work/kept/motet_chip.h"
    MOTET_TARGET=$work "$motet" cc --keep "$work/kept" --recorder "$@" -- "$work/${family:-avr}-gcc" -mmcu=chip -o "$work/out.o" 2>&1
    cat "$work/kept/motet_chip.h" 2>/dev/null
}
expect() { # WHAT PATTERN OPTION...
    what=$1 pattern=$2
    shift 2
    chip "$@" | grep -q -x -e "$pattern" || {
        printf '%s: no %s in\n%s\n' "$what" "$pattern" "$(chip "$@")"
        failures=$((failures + 1))
    }
}

cat >"$work/registers/chip.txt" <<'R'
ram 0x100 0x4ff 128
codec plain
ring plain 400
ring tardis 404
ring motet 408 412
compare 14 OCR
overflow 16 8
timer timer3 vectors=25-29 halfway=26 count=TCNT compare=OCR control=XDIV,DDRA flags=PINA mask=DDRB overflow=0x04 enable=0x10 own=TCNT,OC
0x20 PINA 1 state 0xff
0x21 DDRA 1 fixed
0x22 PINB 1 state 0xff
0x23 PINC 1 state 0xff
0x24 DDRB 1 fixed
0x25 UDR  1 data  0xff acts
0x26 UCSR 1 state 0x80
0x2a OCR  2 fixed
0x2c TCNT 2 timer 0xffff acts
0x2e SPSR 1 state 0x01 acts
0x30 XDIV 1 fixed
0x31 SREG 1 fixed cpu
R
cp "$work/registers/chip.txt" "$work/good.txt"
expect 'ranges' '#define CHIP_REGISTERS {0x21,0x24},{0x26,0x26},{0x2a,0x2b},{0x30,0x30}'
expect 'memory' '#define CHIP_RAM_SIZE 1024'
expect 'blocks' '#define CHIP_BLOCK_BITS 7'
expect 'the codec' '#define CHIP_CODEC CODEC_PLAIN'
expect 'a ring' '#define CHIP_RING_MOTET 408'
expect 'a ring with stamps' '#define CHIP_RING_MOTET 412' --stamp timer3
expect 'compares' '#define CHIP_COMPARES(X) X(14, 1, 0x2a, 0x0)'
expect 'compares but those of the timer for stamps' '#define CHIP_COMPARES(X)' --stamp timer3
expect 'overflows' '#define CHIP_OVERFLOWS(X) X(16, 0, 0, 0)'
expect 'the vector for stamps' '#define CHIP_STAMP_VECTOR 26' --stamp timer3
expect 'the timer for stamps' '#define CHIP_STAMP_NAME motet_stamps_of_timer3' --stamp timer3
expect 'flags for stamps' '#define CHIP_STAMP_FLAGS 0x20' --stamp timer3
expect 'another timer' '.*--stamp timer1: not a timer that can tell cycles on chip; it has timer3' --stamp timer1
family=msp430 expect 'a vector by its offset' '#define CHIP_COMPARES(X) X(7, 1, 0x2a, 0x0)'

wrong() { # LINE PATTERN
    { cat "$work/good.txt" && echo "$1"; } >"$work/registers/chip.txt"
    expect "'$1'" ".*chip.txt:21: $2"
}
for line in '0x30 XDIV 1 fixed 0xff' '0x30 XDIV 1 state' '0x30 XDIV 1 state 0x1ff' '0x30 XDIV 3 fixed' \
    '0x30 XDIV 1 data 0xff often' '0x30 XDIV 1 data 0xff fills=wide' 'area 0x30 0x20 X' 'XDIV' 'rams 1 2 3'; do
    wrong "$line" 'not an* \(register\|area\).*'
done
wrong 'ram 0x200 0x100 128' 'not a line of RAM.*'
wrong 'ram 0x100 0x200 100' 'not a line of RAM.*'
wrong 'codec gzip' 'not a codec.*'
wrong 'ring plain 401' 'not a ring.*'
wrong 'ring gzip 400' 'not a ring.*'
wrong 'compare 7 OCR9' 'OCR9 is not a register of this file'
wrong 'compare often OCR' 'often is not a vector'
wrong 'overflow 7 9' 'not an overflow.*'
wrong 'multiplier XDIV' 'XDIV has 1 bytes, 2 are wanted here'
wrong 'dma OCR OCR TCNT 0x80 0xc00' 'not a channel of DMA.*'
wrong 'dma OCR PINA TCNT 1 2 2' 'PINA has 1 bytes.*'
wrong 'dma OCR OCR TCNT 0x80 none 0x800' 'not a channel of DMA.*'
wrong 'timer timer4' 'timer timer4: vectors, halfway, count.*'
wrong 'timer timer4 vectors=9' '9: not two vectors'
wrong 'timer timer4 colour=9' 'colour=9: not a fact of a timer'
wrong 'timer timer4 vectors=25-29 halfway=30 count=TCNT compare=OCR control=XDIV own=T' 'timer timer4: vectors, halfway, count.*'
wrong 'timer timer4 vectors=25-29 halfway=26 count=TCNT compare=OCR control=XDIV own=T' 'timer timer4: flags, mask.*'
grep -v '^ring motet' "$work/good.txt" >"$work/registers/chip.txt"
expect 'a table without a ring' '.*the register file of chip has no facts for the recorder.*'

# Of the chips that there are: nothing forbidden is in a range, by its address.
for file in "${MOTET_TARGET:-$(dirname "$0")/../../target}"/registers/*.txt; do
    grep -q '^cortex ' "$file" && continue # its recorder is another one, without checkpoints
    cp "$file" "$work/registers/chip.txt"
    chip | sed -n 's/#define CHIP_REGISTERS //p' | tr -d '{' | tr '}' '\n' | sed 's/^,//' >"$work/ranges"
    [ -s "$work/ranges" ] || { echo "$file: no ranges"; failures=$((failures + 1)); }
    awk '!/^#/ && ($NF == "acts" || $NF == "cpu") { print $1, $2, $3 }' "$file" | while read -r address name size; do
        while IFS=, read -r first last; do
            [ $((address)) -le $((last)) ] && [ $((address + size)) -gt $((first)) ] && echo "$file: $name is in a range"
        done <"$work/ranges"
    done >"$work/said"
    [ ! -s "$work/said" ] || { cat "$work/said"; failures=$((failures + 1)); }
done
finish
