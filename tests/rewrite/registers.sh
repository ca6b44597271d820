#!/bin/sh
# usage: registers.sh MOTET
# The recorder gets the registers of a checkpoint that say how devices are set up: -DMOTET_REGISTERS={first,last},... without registers whose
# reading changes something; and what is wrong in a register file is said with its line.
set -u
motet=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' >"$folder/avr-gcc"
chmod +x "$folder/avr-gcc"
mkdir "$folder/registers"

ranges() { # CHIP
    MOTET_TARGET=$folder "$motet" cc --recorder -- "$folder/avr-gcc" "-mmcu=$1" -o "$folder/out.o" 2>&1
}
expect() { # WHAT PATTERN
    ranges chip | grep -q -x -e "$2" || {
        printf '%s: no %s in\n%s\n' "$1" "$2" "$(ranges chip)"
        failures=$((failures + 1))
    }
}

cat >"$folder/registers/chip.txt" <<'R'
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
expect 'ranges' '-DMOTET_REGISTERS={0x21,0x24},{0x26,0x26},{0x2a,0x2b},{0x30,0x30}'
for line in '0x30 XDIV 1 fixed 0xff' '0x30 XDIV 1 state' '0x30 XDIV 1 state 0x1ff' '0x30 XDIV 3 fixed' \
    '0x30 XDIV 1 data 0xff often' '0x30 XDIV 1 data 0xff fills=wide' 'area 0x30 0x20 X' 'XDIV'; do
    echo "$line" >"$folder/registers/chip.txt"
    expect "'$line'" '.*chip.txt:1: not an* \(register\|area\).*'
done

# Of the chips that there are: nothing forbidden is in a range, by its address.
for file in "${MOTET_TARGET:-$(dirname "$0")/../../target}"/registers/*.txt; do
    cp "$file" "$folder/registers/chip.txt"
    ranges chip | sed -n 's/-DMOTET_REGISTERS=//p' | tr -d '{' | tr '}' '\n' | sed 's/^,//' >"$folder/ranges"
    [ -s "$folder/ranges" ] || { echo "$file: no ranges"; failures=$((failures + 1)); }
    awk '!/^#/ && ($NF == "acts" || $NF == "cpu") { print $1, $2, $3 }' "$file" | while read -r address name size; do
        while IFS=, read -r first last; do
            [ $((address)) -le $((last)) ] && [ $((address + size)) -gt $((first)) ] && echo "$file: $name is in a range"
        done <"$folder/ranges"
    done >"$folder/said"
    [ ! -s "$folder/said" ] || { cat "$folder/said"; failures=$((failures + 1)); }
done
[ "$failures" -eq 0 ]
