#!/bin/sh
# usage: generated.sh MOTET EXACT BOARD ("SEED..."|"soak COUNT") CODEC [--stamp TIMER] [--profile NAME] COMPILER [OPTION...]
# Generated programs through motet cc: the replay of each must be exact. One that fails is kept.
# For telosb the support files of the build are in FIRMWARE (environment); GO_ON tries the seeds after one that fails.
here=$(dirname "$0")
motet=$1 exact=$2 board=$3 seeds=$4 codec=$5
shift 5
stamp=
[ "$1" != --stamp ] || { stamp=$2 && shift 2; }
profile=full
[ "$1" != --profile ] || { profile=$2 && shift 2; }
case $seeds in soak*) seeds=$("$here/../lib/seeds" "${seeds#soak }") ;; esac
work=$(mktemp -d) common=$(mktemp -d) failed=0
case $1 in *avr-gcc) shift && set -- "$here/../lib/kept/avr-gcc" "$@" && export KEPT="$common" ;; esac
case $codec in bits) chosen= ;; *) chosen=$codec ;; esac # which no option names: it is that of a profile

recorder() { # OPTION...: the recorder for these, once
    recorder=$common/recorder$(echo "$@" | cksum | tr ' ' -).o
    [ -e "$recorder" ] ||
        "$motet" cc --board telosb ${chosen:+--codec "$chosen"} ${stamp:+--stamp "$stamp"} --profile "$profile" --recorder -- "$@" -c -o "$recorder"
}

build() { # COMPILER... OPTIMISATION
    case $board in
    telosb)
        "$motet" cc --board telosb ${chosen:+--codec "$chosen"} ${stamp:+--stamp "$stamp"} -- "$@" -c -o "$work/program.o" "$work/program.c" &&
            recorder "$@" &&
            ld.lld-19 --gc-sections -L /usr/msp430/lib/ldscripts/msp430f1611 -T "$here/../../target/msp430/link.x" \
                --defsym=motet_build_id=0x$(printf %04x "$seed") -o "$work/program.elf" "$FIRMWARE/msp430-start.o" "$work/program.o" "$recorder" \
                "$FIRMWARE/support-16bit/support.a"
        ;;
    *) "$motet" cc --board "$board" ${chosen:+--codec "$chosen"} ${stamp:+--stamp "$stamp"} --profile "$profile" -- "$@" -o "$work/program.elf" "$work/program.c" -lm ;;
    esac
}

compare() { # handlers of some programs leave hardly any time for the rest: a page of log takes them longer
    "$exact" -i "$line" "$work/program.elf" "$board" "$seconds" 1500 >"$work/said" 2>&1 ||
        { grep -q "not one whole page" "$work/said" && "$exact" -i "$line" "$work/program.elf" "$board" 6 1500 >"$work/said" 2>&1; }
}

case $board in telosb) line=1 ;; *) line=0 ;; esac
case $codec in plain) seconds=0.5 ;; *) seconds=1.5 ;; esac
for seed in $seeds; do
    [ $((seed % 2)) = 0 ] && optimisation=-Os || optimisation=-O2
    : >"$work/said"
    "$here/generate" "$board" "$seed" ${stamp:+"$stamp"} >"$work/program.c" &&
        build "$@" "$optimisation" >"$work/said" 2>&1 &&
        compare || {
        cat "$work/said"
        echo "generated.sh: $board, codec $codec, seed $seed with $optimisation failed; see $work/program.c"
        [ -n "$GO_ON" ] || exit 1
        failed=1
        work=$(mktemp -d)
    }
    [ -z "$VERBOSE" ] || echo "$board $codec $seed: $(cat "$work/said")"
done
rm -rf "$work" "$common"
exit $failed
