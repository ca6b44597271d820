#!/bin/sh
# usage: sources.sh MOTET AVR-COMPILER [MSP430-COMPILER OPTION...]
# Every source of the recorder compiles or assembles by itself, for each codec (bits: profile small) and with stamps; together they leave nothing
# open but what the application and the linker have.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 avr=$2
shift 2
target=$(cd "$(dirname "$0")/../../target" && pwd)

# What a link gives: names of start-up code, of linker scripts (an MSP430's registers too) and libraries, and the build id.
given='^(__do_(clear_bss|copy_data)|__data_start|__bss_end|__heap_start|__brkval|__ctors_start|__stack|__prologue_saves__|__epilogue_restores__|__(tablejump2__|mul|div|udiv|umod|mod|ashl|lshr|ashr|muls|umul|cmp)\w*|__mspabi_\w+|mem(set|cpy|move)|__[A-Z][A-Z0-9]+|motet_build_id(16|32|48)?|motet_stamp_\w+)$'

alone() { # NAME FAMILY BOARD CODEC STAMP COMPILER...
    name=$1 family=$2 board=$3 codec=$4 stamp=$5
    shift 5
    mkdir -p "$work/$name"
    choice="--codec $codec" defined="-DMOTET_CODEC_$codec"
    [ "$codec" != bits ] || choice="--profile small" defined="-DMOTET_PROFILE_small -DMOTET_WHEN_FULL_WAIT"
    # shellcheck disable=SC2086
    "$motet" cc --board "$board" $choice ${stamp:+--stamp "$stamp"} --keep "$work/$name" --recorder -- "$@" -Os -c \
        -o "$work/$name/all.o" || return 1
    case $family in avr) other=msp430 ;; *) other=avr ;; esac
    objects=
    for file in "$target"/recorder/*.c "$target"/recorder/*.S; do
        stem=$(basename "$file")
        case $stem in
        *_$other.* | unit.c | offsets.c) continue ;;
        flash_at45db.c) [ "$family" = avr ] || continue ;;
        flash_m25p80.c) [ "$family" = msp430 ] || continue ;;
        codec_plain.c) [ "$codec" = plain ] || continue ;;
        codec_bits.c | bits_*.S) [ "$codec" = bits ] || continue ;;
        codec_tardis.c | tardis_encode.c) [ "$codec" = tardis ] || continue ;;
        codec_motet.c | codec_model.c | coder.c | coder_*.S | reads_*.S) [ "$codec" = motet ] || continue ;;
        esac
        language=c
        case $stem in *.S) language=assembler-with-cpp ;; esac
        # shellcheck disable=SC2086
        "$@" -std=gnu11 -Os -Wall -Wextra -Werror -Wno-unused-parameter -DMOTET_ALONE $defined \
            "-DMOTET_BOARD_$(echo "$board" | tr a-z- A-Z_)" -I"$work/$name" -c -o "$work/$name/$stem.o" -x $language "$file" || {
            echo "sources.sh: $name: $stem does not compile by itself"
            failures=$((failures + 1))
        }
        objects="$objects $work/$name/$stem.o"
    done
    avr-nm --defined-only $objects | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }' | sort -u >"$work/defined"
    avr-nm -u $objects | awk 'NF == 2 { print $2 }' | sort -u | comm -23 - "$work/defined" | grep -vE "$given" >"$work/open" && {
        echo "sources.sh: $name: nothing defines $(tr '\n' ' ' <"$work/open")"
        failures=$((failures + 1))
    }
    return 0
}

# The codecs of the paper and without coding share all but one file with the others: make soak.
codecs="motet bits"
[ -z "${LONG:-}" ] || codecs="plain tardis $codecs"
for codec in $codecs; do
    alone "avr-$codec" avr micaz $codec '' "$avr" -mmcu=atmega128 || failures=$((failures + 1))
done
alone avr-stamps avr micaz motet timer3 "$avr" -mmcu=atmega128 || failures=$((failures + 1))
[ -z "${LONG:-}" ] || alone avr-far avr mega-flash motet '' "$avr" -mmcu=atmega2560 || failures=$((failures + 1))
if [ $# -gt 0 ]; then
    for codec in $codecs; do
        alone "msp430-$codec" msp430 telosb $codec '' "$@" -mhwmult=none || failures=$((failures + 1))
    done
    alone msp430-stamps msp430 telosb motet timera "$@" -mhwmult=none || failures=$((failures + 1))
fi
finish
