# motet cc --log-interface on small programs: one file with nesC's names; and what is refused, with file and line, and
# status 2.
. "$SOURCE/tests/lib/expect.sh"
command -v avr-gcc >/dev/null || { echo "skipped: there is no avr-gcc"; exit 0; }
[ -e "$FIRMWARE/logged-collect-micaz-Os.elf" ] || { echo "skipped: there is no libclang"; exit 0; }
cd "$work" || exit 1
cc() { # PIECES ARGUMENTS...
    pieces=$1
    shift
    motet cc --log-interface "$pieces" -- avr-gcc -mmcu=atmega328p -gdwarf-4 -Os "$@"
}
refused() { # SENTENCE
    expect_status 2
    expect_err "$1"
}

# One file, a glob of names: the component is found, logged, collected, replayed; at all levels nothing is inlined away.
for level in -O0 -Os -O3; do
    cc 'AppP.*' "$SOURCE/tests/interface/program.c" $level -o program.elf
    expect_status 0
    motet run --quiet --board atmega328p --for 2s --serial "0=file:,$work/serial" program.elf
    motet collect --elf program.elf --board atmega328p --output one.ilog --events serial
    expect_status 0
    jq -es '[.[] | select(.event == "call-in") | .function] | length == 100 and (unique == ["AppP__Timer__fired"])' out >/dev/null ||
        fail "$level: the timer should call in 100 times"
    jq -es '[.[] | select(.event == "call-out" and .function == "AppC__Queue__put")][2].buffers[0].bytes | length == 6' out >/dev/null ||
        fail "$level: the message should be in the log"
    motet replay --board atmega328p --elf program.elf --json one.ilog
    jq -e '.differs == false and .events > 400' out >/dev/null || fail "$level: the replay should be exact"
done

cat >inside.c <<'C'
#include <stdint.h>
#ifdef HANDLER
#include <avr/interrupt.h>
ISR(TIMER0_OVF_vect) { }
#endif
#ifdef UNSIZED
void note(const char *text);
#endif
#ifdef VARIADIC
int say(const uint16_t *format, ...);
#endif
uint16_t table[4];
void outside(uint8_t value);
void inside(uint8_t value)
{
    table[value & 3]++;
#ifdef UNSIZED
    note("text");
#endif
#ifdef VARIADIC
    say(table, value);
#endif
    outside(value);
}
C
cat >main.c <<'C'
#include <stdint.h>
void inside(uint8_t value);
#ifdef USES
extern uint16_t table[4];
#endif
void outside(uint8_t value) { (void)value; }
int main(void)
{
    for (uint8_t i = 0;; i++)
#ifdef USES
        inside(table[1]);
#else
        inside(i);
#endif
}
C
cc inside.c inside.c main.c -o good.elf
expect_status 0
expect_no_err
cc inside.c -DUNSIZED -c inside.c
refused 'inside.c:7:1: `text` of note points to bytes, and nothing says how many; write a line `log note(text): text[SIZE]` in an'
echo 'log note(text): text[4]' >my.interface
cc inside.c,my.interface -DUNSIZED -c inside.c
expect_status 0
cc inside.c -DVARIADIC -c inside.c
refused 'inside.c:10:1: say takes any number of parameters, which cannot be logged; name it in --log-interface'
cc inside.c -DHANDLER -c inside.c
refused 'is an interrupt handler inside the component'

# A handler that reaches the component over two functions is refused. Over two functions and a pointer it cannot be told
# from a task's call: there the node notices that it interrupts the component, and what it logs before and after that is
# replayed without a deviation.
cat >handler.c <<'C'
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <stdint.h>
void inside(uint8_t value);
void outside(uint8_t value) { (void)value; }
static void (*volatile hook)(uint8_t value);
static volatile uint8_t due;
__attribute__((noinline)) static void second(uint8_t value)
{
#if HANDLER == 1
    hook(value);
#elif HANDLER == 2
    inside(value);
#else
    due = value;
#endif
}
__attribute__((noinline)) static void first(uint8_t value) { second(value + 1); due++; }
ISR(TIMER0_OVF_vect) { first(TCNT0); due++; }
int main(void)
{
    hook = inside;
    TCCR0B = 2; /* often, but not so often that nothing else is executed */
    TIMSK0 = 1;
    set_sleep_mode(SLEEP_MODE_IDLE);
    for (;;) {
        sei();
        for (uint8_t i = 0; i < 20; i++)
            hook(due);
        sleep_mode();
    }
}
C
mkdir -p handler && sed '/^#ifdef HANDLER/,/^#endif/d' inside.c >handler/inside.c
for level in -O0 -Os -O3; do
    cc inside.c -DHANDLER=2 $level handler/inside.c handler.c -o bad.elf
    refused 'can call inside of the component, by the calls'
    expect_err 'The node cannot log where in the component that is: call it from a task'
    [ ! -e bad.elf ] || fail "a program that is refused should not stay"
    cc inside.c -DHANDLER=0 $level handler/inside.c handler.c -o good.elf
    expect_status 0
    cc inside.c -DHANDLER=1 $level handler/inside.c handler.c -o pointer.elf
    expect_status 0
    motet run --quiet --board atmega328p --for 2s --serial "0=file:,$work/serial" pointer.elf
    motet collect --elf pointer.elf --board atmega328p --output pointer.ilog --json serial
    jq -e '.interrupts > 0 and .events > 100' out >/dev/null || fail "$level: the handler should have interrupted the component"
    motet replay --board atmega328p --elf pointer.elf --json pointer.ilog
    jq -e '.differs == false and .events > 100' out >/dev/null || fail "$level: what was logged should be exact"
done
cc inside.c -DUSES inside.c main.c -o bad.elf
refused 'uses table of the component, whose variables it could change without a call'
[ ! -e bad.elf ] || fail "a program that is refused should not stay"
cc inside.c,main.c -DUSES inside.c main.c -o whole.elf
expect_status 0
cc other.c inside.c main.c -o bad.elf
refused "no source of the program has code of 'other.c'"
cc nosuch inside.c main.c -o bad.elf
refused "no source of the program has code of 'nosuch'"
cc 'inside.c,' inside.c main.c -o bad.elf
refused "a piece is empty"
cc none.interface inside.c main.c -o bad.elf
refused "none.interface: No such file or directory"
motet cc --log-interface inside.c -- avr-gcc -mmcu=atmega328p -Os inside.c main.c -o bad.elf
refused "compile it with -g"
motet cc --log-interface inside.c --log-buffer 10 -- avr-gcc -mmcu=atmega328p -c inside.c
expect_complaint "the buffer of an interface log has 64 to 8192 bytes"
finish
