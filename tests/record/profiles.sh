#!/bin/sh
# usage: profiles.sh MOTET
# What the recorder takes with each profile; a program that does not fit is told so, with what others would take.
. "$(dirname "$0")/../lib/core.sh"
motet=$1

takes() { # PROFILE: sets flash and ram
    "$motet" cc --board micaz --profile "$1" --recorder --report "$work/$1" --json -- avr-gcc -mmcu=atmega128 -Os -c -o "$work/recorder.o" || exit 1
    flash=$(sed 's/.*"flash": \([0-9]*\).*/\1/' "$work/$1") ram=$(sed 's/.*"ram": \([0-9]*\).*/\1/' "$work/$1")
    grep -q "\"profile\": \"$1\"" "$work/$1" || fail "the report does not name profile $1"
}
at_most() { # PROFILE FLASH RAM WHEN-FULL
    command="motet cc --profile $1" status=0
    takes "$1"
    [ "$flash" -le "$2" ] && [ "$ram" -le "$3" ] || fail "it takes $flash bytes of flash and $ram of RAM, more than $2 and $3"
    grep -q "\"when_full\": \"$4\"" "$work/$1" || fail "it does not say: $4"
}
at_most full 12790 2050 gap
at_most small 5500 805 wait
at_most tiny 4895 250 wait

# On a TelosB, where there is a compiler for it.
if command -v clang-19 >/dev/null && [ -d /usr/msp430/include ]; then
    command="motet cc --board telosb --profile small" status=0
    "$motet" cc --board telosb --profile small --recorder --report "$work/telosb" --json -- clang-19 --target=msp430 -mmcu=msp430f1611 \
        -isystem "$(dirname "$0")/../../target/msp430/include" -isystem /usr/msp430/include -Os -c -o "$work/recorder.o" || fail "it must be made"
    flash=$(sed 's/.*"flash": \([0-9]*\).*/\1/' "$work/telosb") ram=$(sed 's/.*"ram": \([0-9]*\).*/\1/' "$work/telosb")
    [ "$flash" -le 6980 ] && [ "$ram" -le 900 ] || fail "it takes $flash bytes of flash and $ram of RAM, more than 6980 and 900"
    grep -q '"interrupts_off_us": 130' "$work/telosb" || fail "it does not say how long interrupts are off"
fi

# 3000 bytes of variables leave room for tiny alone.
printf 'volatile char bytes[3000];\nint main(void) { for (;;) bytes[0]++; }\n' >"$work/large.c"
command="motet cc, too large"
"$motet" cc --board micaz -- avr-gcc -mmcu=atmega128 -Os -o "$work/large.elf" "$work/large.c" >"$work/out" 2>"$work/err"
status=$?
[ $status = 1 ] || fail "it must not link"
grep -q 'does not fit the atmega128: .*more than there are.*--profile small .*--profile tiny' "$work/err" || fail "it does not say what would fit"
"$motet" cc --board micaz --profile tiny -- avr-gcc -mmcu=atmega128 -Os -o "$work/large.elf" "$work/large.c" >"$work/out" 2>"$work/err"
status=$?
[ $status = 0 ] || fail "it must link"
command="motet cc, an undefined name"
printf 'void none(void);\nint main(void) { none(); }\n' >"$work/none.c"
"$motet" cc --board micaz -- avr-gcc -mmcu=atmega128 -Os -o "$work/none.elf" "$work/none.c" >"$work/out" 2>"$work/err"
status=$?
[ $status != 0 ] && ! grep -q 'does not fit' "$work/err" || fail "that is another mistake"

# Entries that a program does not call are left out; those that only a library calls are there.
size_of() { # FILE...: bytes of the recorder that these are linked with
    "$motet" cc --board micaz --profile small --report "$work/size" --json -- avr-gcc -mmcu=atmega128 -Os -o "$work/size.elf" "$@" 2>"$work/err" || fail "it must link"
    flash=$(sed -n 's/.*"recorder": {"flash": \([0-9]*\).*/\1/p' "$work/size")
    rm -f "$work/size"
}
command="motet cc, entries" status=0
printf 'int main(void) { for (;;); }\n' >"$work/none.c"
printf 'void freezes(void);\nint main(void) { for (;;) freezes(); }\n' >"$work/main.c"
printf 'void motet_freeze(void);\nvoid freezes(void) { motet_freeze(); }\n' >"$work/freezes.c"
"$motet" cc --board micaz -- avr-gcc -mmcu=atmega128 -Os -c -o "$work/freezes.o" "$work/freezes.c" && avr-ar rcs "$work/libfreezes.a" "$work/freezes.o"
size_of "$work/none.c"
none=$flash
[ "$none" -le 5030 ] || fail "it takes $none bytes of flash where no such entry is called"
for library in "$work/libfreezes.a" "-lfreezes"; do
    size_of "$work/main.c" "-L$work" "$library"
    [ "$flash" -gt "$none" ] && avr-nm "$work/size.elf" | grep -q ' motet_freeze$' || fail "motet_freeze must be there, for $library"
done

refuses() { # WORDS OPTION...
    words=$1
    shift
    command="motet cc $*"
    "$motet" cc "$@" -- avr-gcc >"$work/out" 2>"$work/err"
    status=$?
    [ $status = 2 ] && grep -q "$words" "$work/err" || fail "it must be refused: $words"
}
refuses 'full, small and tiny are known' --profile huge
refuses 'has codec plain alone' --profile tiny --codec motet
refuses 'has codecs bits and plain' --profile small --codec motet
finish
