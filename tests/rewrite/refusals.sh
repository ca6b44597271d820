#!/bin/sh
# usage: refusals.sh MOTET
# What motet cc cannot record it refuses: with the place, status 2, and no output.
. "$(dirname "$0")/../lib/core.sh"
motet=$1

refuses() { # WHAT EXPECTED-TEXT COMMAND...
    what=$1 text=$2
    shift 2
    rm -f "$work/out.o"
    message=$("$@" 2>&1 >/dev/null)
    status=$?
    if [ "$status" -ne 2 ] || ! printf '%s' "$message" | grep -q -- "$text" || [ -e "$work/out.o" ]; then
        printf '%s: status %s, said: %s\nagain: %s\n' "$what" "$status" "$message" "$*"
        failures=$((failures + 1))
    fi
}
cd "$work" || exit 1
compile="$motet cc -- avr-gcc -mmcu=atmega328p -Os -c in.c -o out.o"

cat > "$work/in.c" <<'C'
#include <avr/io.h>
unsigned char f(void)
{
    unsigned char v;
    __asm__ volatile("lds %0, 0xc6" : "=r"(v));
    return v;
}
C
refuses "assembly that reads" "in.c:5:5: inline assembly .*lds" $compile
while read -r statement; do # tests of a bit that cannot be put to the recorder
    printf 'unsigned char f(void)\n{\n    unsigned char v = 0;\n    __asm__ volatile(%s : "+r"(v));\n    return v;\n}\n' "$statement" >"$work/in.c"
    refuses "$statement" "in.c:4:5: inline assembly .*write the read in C" $compile
done <<'C'
"1: sbis 0x03, 2\n\trjmp 1b"
"sbis 0x03, 2\n\trjmp .-4"
"sbrc %0, 1\n\tsbic 3, 2\n\tinc %0"
"mov r0, %0\n\tsbic 3, 2\n\tinc r0\n\tmov %0, r0"
"sbic 3, 2 $ inc %0"
"sbic 3, 2\n\tin %0, 3"
"sbic 32, 2\n\tinc %0"
"sbic 3, BIT\n\tinc %0"
C
cat > "$work/in.c" <<'C'
#include <avr/interrupt.h>
ISR(TIMER0_OVF_vect, ISR_NAKED)
{
    __asm__ volatile("push r24\n\tlds r24, 0xc6\n\tpop r24\n\treti");
}
C
refuses "a naked handler that reads" "in.c:4.*lds" $compile
cat > "$work/in.c" <<'C'
#include <avr/io.h>
unsigned char f(void)
{
    return PINB |= 1;
}
C
refuses "an update whose value is used" "in.c:4:12: .*PINB" $compile
cat > "$work/in.c" <<'C'
#include <avr/io.h>
extern void use(unsigned char *p);
void f(void)
{
    use((unsigned char *)&PINB);
}
C
refuses "a register through a plain pointer" "in.c:5:.*PINB.*not volatile" $compile
cat > "$work/in.c" <<'C'
unsigned char *pin = (unsigned char *)0x23;
C
refuses "a register's number as a plain pointer" "in.c:1:.*PINB becomes a pointer that is not volatile" $compile
cat > "$work/in.c" <<'C'
#include <avr/eeprom.h>
unsigned char f(void)
{
    return (eeprom_read_byte)((unsigned char *)3);
}
C
refuses "an EEPROM function not called by its name" "in.c:4:.*eeprom_read_byte is used otherwise" $compile
cat > "$work/in.c" <<'C'
#include <avr/io.h>
void f(void)
{
    __asm__ volatile("mov r0, %0" : : "r"(PINB));
}
C
refuses "assembly that gets a register" "in.c:4:.*PINB" $compile
cat > "$work/in.c" <<'C'
#include <avr/boot.h>
void f(void)
{
    boot_page_erase(0x1000);
}
C
refuses "self-programming" "in.c:4:.*spm" $compile
cat > "$work/in.c" <<'C'
#include <avr/io.h>
void f(void)
{
    SPMCSR = 1 << PGERS;
}
C
refuses "self-programming in C" "in.c:4:.*SPMCSR changes program memory" $compile
cat > "$work/in.c" <<'C'
unsigned char kept __attribute__((section(".noinit")));
C
refuses "memory that outlives a reset, without main" "in.c:1:.*kept keeps its contents" $compile
cat > "$work/in.c" <<'C'
#include <avr/io.h>
struct four { unsigned char a, b, c, d; };
struct four f(void)
{
    return *(struct four *)&PINB;
}
C
refuses "a large structure over registers" "in.c:5:.*structure over register PINB" $compile
cat > "$work/in.c" <<'C'
#include <avr/io.h>
unsigned char cause;
void __attribute__((naked, section(".init3"))) early(void);
void early(void)
{
    cause = MCUSR;
}
C
refuses "a register read before main" "in.c:6:.*MCUSR is read before main" $compile
cat > "$work/in.cpp" <<'C'
#include <avr/io.h>
unsigned char seed = TCNT0;
C
refuses "a variable's initial value from a register" "in.cpp:2:.*TCNT0 is read before main" \
    "$motet" cc -- avr-g++ -mmcu=atmega328p -Os -c "$work/in.cpp" -o "$work/out.o"
cat > "$work/in.c" <<'C'
__asm__(".pushsection .motet.sites.id,\"\",@progbits\n.space 6200\n.popsection");
int main(void) { }
C
refuses "too many places" "6200 places" "$motet" cc --board micaz -- avr-gcc -mmcu=atmega128 -Os -o "$work/out.o" "$work/in.c"
if command -v clang-19 >/dev/null; then
    msp430="$motet cc -- clang-19 --target=msp430 -mmcu=msp430f1611 -Os -isystem $(dirname "$0")/../../target/msp430/include
        -isystem /usr/msp430/include -c in.c -o out.o"
    cat > "$work/in.c" <<'C'
#include <msp430.h>
int buffer[8];
void f(void)
{
    DMA0CTL = 0;
    DMA0DA = (unsigned)buffer;
    DMA0CTL = DMADT_0 | DMAEN;
}
C
    refuses "DMA into memory" "in.c:7:.*DMA0CTL.*is not a static array.*motet_filled" $msp430
    dma() { # READ DESTINATION COUNT CONTROL
        cat > "$work/in.c" <<C
#include <msp430.h>
void *memcpy(void *, const void *, unsigned);
static unsigned char ring[8], *pointer;
static unsigned words[4], n, last;
static struct { unsigned char a; } records[8];
unsigned char outside[8];
void take(unsigned char), look(const unsigned char *);
void f(void)
{
    static unsigned char inside[8];
    DMA0DA = (unsigned)($2);
    DMA0SZ = $3;
    DMA0CTL = $4;
    $1;
}
C
    }
    refuses_dma() { # TEXT READ DESTINATION COUNT CONTROL
        text=$1
        shift
        dma "$@"
        refuses "DMA: $*" "$text" $msp430
    }
    go='DMADT_4 | DMASBDB | DMADSTINCR_3 | DMAEN'
    for read in 'take(ring[n])' 'if (ring[last] == sizeof ring) last++' 'take(ring[1] + ring[2])'; do
        dma "$read" '&ring' 8 "$go"
        $msp430 || { echo "DMA, which can be recorded, is refused: $read"; failures=$((failures + 1)); }
        rm -f "$work/out.o"
    done
    dma 'take(words[n])' '&words[0]' 4 'DMADT_4 | DMADSTINCR_3 | DMAEN'
    $msp430 || failures=$((failures + 1))
    for read in 'look(ring)' 'look(&ring[2])' 'take(*ring)' 'take(*(ring + n))' 'pointer = ring; take(pointer[2])' \
        'memcpy(outside, ring, 4)' 'look(n ? ring : outside)' 'take(*&ring[1])' 'take(2[ring])'; do
        refuses_dma "ring is filled by DMA.*motet_filled" "$read" ring 8 "$go"
    done
    for to in outside inside pointer 'ring + 1' '&ring[1]' '&ring[n]' 'n ? ring : outside' 0x1100 words+1; do
        refuses_dma "DMA0CTL.*is not a static array" 'take(ring[n])' "$to" 2 "$go"
    done
    refuses_dma "in.c:14:42.*ring is filled by DMA" 'take(ring[n]); } unsigned char *of = ring; void g(void) { of++' ring 8 "$go"
    refuses_dma "records is filled by DMA" "take(records[n].a)" records 2 "$go"
    refuses_dma "DMA0CTL.*more than the array" 'take(ring[n])' ring 9 "$go"
    refuses_dma "DMA0CTL.*more than the array" 'take(ring[n])' ring 8 'DMADT_4 | DMADSTINCR_3 | DMAEN'
    refuses_dma "DMA0CTL.*not constant" 'take(ring[n])' ring n "$go"
    refuses_dma "DMA0CTL.*not constant" 'take(ring[n])' ring 8 "$go; DMA0SZ++"
    refuses_dma "DMA0CTL.*not constant" 'take(ring[n])' ring 8 'DMADT_4 | DMASBDB | DMADSTINCR_2 | DMAEN'
    refuses_dma "DMA0CTL.*not constant" 'take(ring[n])' ring 8 'n | DMAEN'
    refuses_dma "DMA0CTL.*not constant" 'take(ring[n])' ring 8 "$go; DMA0CTL ^= DMADSTINCR_1"
    refuses_dma "DMA0CTL.*not constant" 'take(ring[n])' ring 8 "$go; DMA0CTL &= ~DMASBDB"
    refuses_dma "DMA1CTL.*not set in this file" 'take(ring[n])' ring 8 "$go; DMA1CTL = DMAEN"
    cat > "$work/in.c" <<'C'
#include <msp430.h>
void f(void)
{
    FCTL1 = FWKEY;
    FCTL1 = FWKEY + WRT;
}
C
    refuses "writing the program memory" "in.c:5:.*FCTL1" $msp430
    cat > "$work/in.c" <<'C'
#include <msp430.h>
unsigned found;
void tune(void)
{
    unsigned was = TAR;
    while (!(TACCTL2 & CCIFG))
        ;
    found = TAR - was;
    DCOCTL += found < 600 ? 1 : -1;
}
C
    $msp430 2>&1 | grep -q "in.c:8:.*warning: tune changes the clock's speed.*not its own" ||
        { echo "a measurement of the clock with a side effect is not warned of"; failures=$((failures + 1)); }
    cat > "$work/in.c" <<'C'
#include <msp430.h>
void
tune(void) {
    unsigned was = TAR;
    while (!(TACCTL2 & CCIFG))
        ;
    DCOCTL += TAR - was < 600 ? 1 : -1;
}
C
    $msp430 2>&1 | grep -q "warning" &&
        { echo "a measurement of the clock, called from elsewhere, is warned of"; failures=$((failures + 1)); }
    for read in 'mov @r12, r13' 'mov \&0x170, 0(r1)' 'mov 0x170, r13' 'add.b 2(r15), r14' 'cmp.b #1, \&0x20'; do
        sed "s/READ/$read/" >"$work/in.c" <<'C'
#include <msp430.h>
void f(void)
{
    __asm__ volatile("READ" ::: "r12", "r13", "r14", "r15");
}
C
        refuses "assembly that reads by $read" "in.c:4:5: inline assembly .*reads" $msp430
    done
    for own in 'mov @r1, r13' 'bic #0xf0, 0(r1)' 'mov 2(SP), r14' 'mov #1, r15' 'push r15' 'add r12, r13'; do
        sed "s/OWN/$own/" >"$work/in.c" <<'C'
void f(void)
{
    __asm__ volatile("OWN" ::: "r12", "r13", "r14", "r15");
}
C
        $msp430 >/dev/null || {
            echo "assembly without a read, $own, is refused"
            failures=$((failures + 1))
        }
    done
fi
cat > "$work/in.c" <<'C'
int f(void) { return 1 }
C
message=$($compile 2>&1)
printf '%s' "$message" | grep -q "in.c:1:" || { echo "a syntax error: said $message"; failures=$((failures + 1)); }
refuses "a codec that is not there" "no codec 'gzip'" "$motet" cc --codec gzip -- avr-gcc -mmcu=atmega328p -c "$work/in.c"
refuses "integers of 8 bits" "mint8: the recorder needs" "$motet" cc -- avr-gcc -mmcu=atmega328p -mint8 -c "$work/in.c" -o "$work/out.o"
refuses "no command" "after --" "$motet" cc
refuses "a host compiler" "not a compiler for a target" "$motet" cc -- gcc -c "$work/in.c"
refuses "no chip" "mmcu" "$motet" cc -- avr-gcc -c "$work/in.c" -o "$work/out.o"
refuses "an unknown chip" "no register file for atmega8" "$motet" cc -- avr-gcc -mmcu=atmega8 -c "$work/in.c" -o "$work/out.o"

# Sources in assembly.
assemble="$motet cc -- avr-gcc -mmcu=atmega328p -c in.S -o out.o"
cat > "$work/in.S" <<'S'
#include <avr/io.h>
        .global f
f:      in r24, _SFR_IO_ADDR(PINB)
        sts seen, r24
        ret
S
refuses "assembly that reads and writes" "in.S:3: routine f reads PINB .*since it also writes memory" $assemble
cat > "$work/in.S" <<'S'
        .equ there, 0x26 - 0x20
        .global __vector_16
__vector_16:
        sbis there, 2
        reti
S
refuses "a handler in assembly that reads" "in.S:4: routine __vector_16 reads PINC" $assemble
cat > "$work/in.S" <<'S'
        .macro get register, port
        in \register, \port
        .endm
        .global f
f:      get r24, 3
        rjmp g
S
refuses "a macro that reads" "in.S:5: routine f reads .*leads elsewhere" $assemble
printf '.section .init3\n.global early\nearly: lds r2, 0x54\n' > "$work/in.S"
refuses "assembly before main" "in.S:3: routine early reads MCUSR" $assemble
printf '.global f\nf: sleep\n ret\n' > "$work/in.S"
refuses "assembly that sleeps" "in.S:2: routine f sleeps" $assemble
printf '.global f\nf: spm\n ret\n' > "$work/in.S"
refuses "assembly that programs" "in.S:2: routine f changes program memory" $assemble
printf '.include "other.inc"\n' > "$work/in.S"
refuses "a file that is not seen" "in.S:1: .*#include" $assemble
printf '.global f\nf: ld r24, X+\n st Z+, r24\n ret\n' > "$work/in.S"
$assemble 2>&1 | grep -q 'in.S:2: warning: routine f reads through a pointer' ||
    { echo "a pointer followed in assembly is not warned of"; failures=$((failures + 1)); }

# With --stamp: what belongs to the timer, and what takes an unknown time.
stamped="$motet cc --stamp timer3 -- avr-gcc -mmcu=atmega1281 -Os -c in.c -o out.o"
printf '#include <avr/io.h>\nvoid f(void)\n{\n    TCNT3 = 0;\n}\n' > "$work/in.c"
refuses "the timer's register" "in.c:4:5: register TCNT3 belongs to timer3.*give --stamp timer1 or --stamp timer4 or --stamp timer5" $stamped
printf '#include <avr/power.h>\nvoid f(void)\n{\n    power_timer3_disable();\n}\n' > "$work/in.c"
refuses "what turns the timer off" "in.c:4:.*register PRR1 belongs to timer3" $stamped
printf '#include <avr/interrupt.h>\nISR(TIMER3_OVF_vect)\n{\n}\n' > "$work/in.c"
refuses "the timer's vector" "in.c:2:.*vector 35 belongs to timer3" $stamped
printf '#include <avr/eeprom.h>\nvoid f(void)\n{\n    eeprom_write_byte((unsigned char *)3, 4);\n}\n' > "$work/in.c"
refuses "EEPROM" "in.c:4:5: the CPU stands still .*eeprom_write_byte" $stamped
printf '#include <avr/io.h>\nvoid f(void)\n{\n    EECR |= 1 << EERE;\n}\n' > "$work/in.c"
refuses "EEPROM by its registers" "in.c:4:5: the CPU stands still .*EECR" $stamped
printf '#include <avr/io.h>\n.global f\nf: in r24, _SFR_IO_ADDR(PINB)\n ret\n' > "$work/in.S"
refuses "assembly that is recorded as a whole" "in.S:3: routine f reads a register" \
    "$motet" cc --stamp timer3 -- avr-gcc -mmcu=atmega1281 -c "$work/in.S" -o "$work/out.o"
echo 'int f(void) { return 1; }' >"$work/in.c"
refuses "a timer that is too narrow" "timer2: not a timer that can tell cycles on atmega328p; it has timer1" \
    "$motet" cc --stamp timer2 -- avr-gcc -mmcu=atmega328p -c "$work/in.c" -o "$work/out.o"
refuses "a timer that is not whole" "timer1: not a timer that can tell cycles on atmega128; it has timer3" \
    "$motet" cc --stamp timer1 -- avr-gcc -mmcu=atmega128 -c "$work/in.c" -o "$work/out.o"
refuses "another chip's timer" "timer3: not a timer that can tell cycles on msp430f1611; it has timera, timerb" \
    "$motet" cc --stamp timer3 -- clang-19 --target=msp430 -mmcu=msp430f1611 -c "$work/in.c" -o "$work/out.o"
if command -v clang-19 >/dev/null && [ -d /usr/msp430/include ]; then
    stamped="$motet cc --stamp timera -- clang-19 --target=msp430 -mmcu=msp430f1611 -isystem /usr/msp430/include -c in.c -o out.o"
    refuses_line() { # WHAT EXPECTED-TEXT LINE
        printf '#include <msp430.h>\nvoid f(void)\n{\n    %s\n}\n' "$3" > "$work/in.c"
        refuses "$1" "in.c:4:.*$2" $stamped
    }
    refuses_line "Timer_A's register" "register TACCTL1 belongs to timera" 'TACCTL1 = CCIE;'
    refuses_line "a read of Timer_A" "register TAR belongs to timera.*give --stamp timerb" 'P1OUT = TAR;'
    refuses_line "SMCLK divided" "SMCLK and MCLK are both DCOCLK undivided, and BCSCTL2" 'BCSCTL2 = DIVS_1;'
    refuses_line "MCLK from elsewhere" "SMCLK and MCLK are both DCOCLK undivided, and BCSCTL2" 'BCSCTL2 |= SELM_2;'
    refuses_line "a clock that the run decides" "SMCLK and MCLK are both DCOCLK undivided, and BCSCTL2" 'BCSCTL2 = P1OUT;'
    refuses_line "DMA" "DMA .DMA0CTL. takes cycles" 'DMA0CTL = DMAEN;'
    printf '#include <msp430.h>\n__attribute__((interrupt(TIMERA1_VECTOR))) void g(void)\n{\n}\n' > "$work/in.c"
    refuses "Timer_A's vector" "in.c:2:.*vector 10 belongs to timera" $stamped
    printf '#include <msp430.h>\nvoid f(void)\n{\n    BCSCTL2 = DCOR;\n    BCSCTL2 &= ~DIVS_1;\n    P1OUT = BCSCTL2;\n    TBCTL = MC_2;\n}\n' > "$work/in.c"
    $stamped || { echo "what leaves the clocks and the timer alone is refused"; failures=$((failures + 1)); }
fi
printf '#include <avr/io.h>\nint main(void)\n{\n    while (!(PINB & 1))\n        ;\n}\n' > "$work/in.c"
for stamp in "" "--stamp timer3"; do
    [ -n "$stamp" ] && other="" || other="--stamp timer3"
    "$motet" cc $stamp -- avr-gcc -mmcu=atmega1281 -c "$work/in.c" -o "$work/one.o"
    refuses "an object compiled otherwise (linked with '$other')" "one.o was compiled with.* --stamp" \
        "$motet" cc --board iris $other -- avr-gcc -mmcu=atmega1281 "$work/one.o" -o "$work/out.o"
done

# What is not for the recorder is passed on.
"$motet" cc -- avr-gcc --version | grep -q "avr-gcc" || { echo "--version is not passed on"; failures=$((failures + 1)); }
echo 'int x = FOO;' > "$work/in.c"
"$motet" cc -- avr-gcc -DFOO=42 -E "$work/in.c" | grep -q "int x = 42" || { echo "-E is not passed on"; failures=$((failures + 1)); }

# Dependency files name the user's file and the object.
echo '#include <avr/io.h>' > "$work/in.c"
(cd "$work" && "$motet" cc -- avr-gcc -mmcu=atmega328p -MMD -c in.c -o out.o && grep -q '^out.o:.*in.c' out.d) ||
    { echo "-MMD makes no dependency file"; failures=$((failures + 1)); }

# Its own files go where TMPDIR says, however long that is.
echo 'int f(void) { return 1; }' >"$work/in.c"
long=$work/a-name-of-more-than-forty-characters-for-temporary-files
refuses "no folder for temporary files" "cannot make a folder in $long: No such file" env TMPDIR="$long" $compile
mkdir "$long"
env TMPDIR="$long" $compile || { echo "a long name for temporary files"; failures=$((failures + 1)); }
rmdir "$long" || failures=$((failures + 1))

finish
