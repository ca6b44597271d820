#!/bin/sh
# usage: refusals.sh MOTET
# What motet cc cannot record it refuses: with the place, status 2, and no output.
set -u
motet=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

refuses() { # WHAT EXPECTED-TEXT COMMAND...
    what=$1 text=$2
    shift 2
    rm -f "$folder/out.o"
    message=$("$@" 2>&1 >/dev/null)
    status=$?
    if [ "$status" -ne 2 ] || ! printf '%s' "$message" | grep -q -- "$text" || [ -e "$folder/out.o" ]; then
        printf '%s: status %s, said: %s\nagain: %s\n' "$what" "$status" "$message" "$*"
        failures=$((failures + 1))
    fi
}
compile="$motet cc -- avr-gcc -mmcu=atmega328p -Os -c $folder/in.c -o $folder/out.o"

cat > "$folder/in.c" <<'C'
#include <avr/io.h>
unsigned char f(void)
{
    unsigned char v;
    __asm__ volatile("lds %0, 0xc6" : "=r"(v));
    return v;
}
C
refuses "assembly that reads" "in.c:5:5: inline assembly .*lds" $compile
cat > "$folder/in.c" <<'C'
#include <avr/interrupt.h>
ISR(TIMER0_OVF_vect, ISR_NAKED)
{
    __asm__ volatile("push r24\n\tlds r24, 0xc6\n\tpop r24\n\treti");
}
C
refuses "a naked handler that reads" "in.c:4.*lds" $compile
cat > "$folder/in.c" <<'C'
#include <avr/io.h>
unsigned char f(void)
{
    return PINB |= 1;
}
C
refuses "an update whose value is used" "in.c:4:12: .*PINB" $compile
cat > "$folder/in.c" <<'C'
int f(void) { return 1 }
C
message=$($compile 2>&1)
printf '%s' "$message" | grep -q "in.c:1:" || { echo "a syntax error: said $message"; failures=$((failures + 1)); }
refuses "a codec that is not there" "no codec 'tardis'" "$motet" cc --codec tardis -- avr-gcc -mmcu=atmega328p -c "$folder/in.c"
refuses "no command" "behind --" "$motet" cc
refuses "a host compiler" "not a compiler for a target" "$motet" cc -- gcc -c "$folder/in.c"
refuses "no chip" "mmcu" "$motet" cc -- avr-gcc -c "$folder/in.c" -o "$folder/out.o"
refuses "an unknown chip" "no register file for atmega8" "$motet" cc -- avr-gcc -mmcu=atmega8 -c "$folder/in.c" -o "$folder/out.o"

# What is not for the recorder is passed on.
"$motet" cc -- avr-gcc --version | grep -q "avr-gcc" || { echo "--version is not passed on"; failures=$((failures + 1)); }
echo 'int x = FOO;' > "$folder/in.c"
"$motet" cc -- avr-gcc -DFOO=42 -E "$folder/in.c" | grep -q "int x = 42" || { echo "-E is not passed on"; failures=$((failures + 1)); }

# Dependency files name the user's file and the object.
echo '#include <avr/io.h>' > "$folder/in.c"
(cd "$folder" && "$motet" cc -- avr-gcc -mmcu=atmega328p -MMD -c in.c -o out.o && grep -q '^out.o:.*in.c' out.d) ||
    { echo "-MMD makes no dependency file"; failures=$((failures + 1)); }
[ "$failures" -eq 0 ]
