# Mistakes with interface logs, in every verb that takes one: a log of another firmware, an unknown function, a buffer
# without a size, two nodes with one id. Each gives one sentence and status 2, and leaves no file behind.
. "$SOURCE/tests/lib/expect.sh"
[ -e "$FIRMWARE/logged-collect-micaz-Os.elf" ] || { echo "skipped: there is no libclang"; exit 0; }
cd "$work" || exit 1
elf=$FIRMWARE/logged-collect-micaz-Os.elf other=$FIRMWARE/logged-collect-micaz-large.elf plain=$FIRMWARE/collect-micaz.elf
unsized=$FIRMWARE/interface-atmega328p-unsized.elf
motet run --quiet --board micaz --nodes 3 --for 5s --serial "0=file:,serial-%id" "$elf"
for pair in 1:1 2:2 1:2; do # the last: node 2, called 1
    motet collect --elf "$elf" --board micaz --id "${pair%:*}" --output "${pair%:*}-${pair#*:}.ilog" "serial-${pair#*:}"
    expect_status 0
done
motet run --quiet --board micaz --nodes 2 --for 5s --log-interface "collection.c=probes-%id.ilog" "$plain"

# A log of another firmware.
motet collect --elf "$other" --board micaz --output none.ilog serial-1
expect_complaint "serial-1 was written by another firmware than"
[ ! -e none.ilog ] || fail "a log that is refused should not stay"
motet collect --elf "$plain" --board micaz --output none.ilog serial-1
expect_complaint "logs no interface; build it with motet cc --log-interface"
for log in 1-1.ilog probes-1.ilog; do
    for how in --quiet --native "--exec true" "--serial /dev/null --node-elf $elf"; do
        [ "$how" = --quiet ] && how=
        motet replay --board micaz --elf "$other" $how "$log"
        expect_complaint "but the interface log was made by build"
    done
    motet merge --board micaz --elf "$other" "$log"
    expect_complaint "was made by build"
done
motet run --board micaz --for 1s --monitor "interface:of=collection.c,file=1-1.ilog/x" "$plain"
expect_status 2

# A function that the firmware has not, though its build id is that of the log.
avr-objcopy -O binary --only-section=.motet.build --set-section-flags .motet.build=alloc "$elf" id 2>objcopy.err
avr-objcopy --update-section .motet.build=id "$FIRMWARE/logged-collect-micaz-O0.elf" forged.elf 2>>objcopy.err || fail "$(cat objcopy.err)"
motet replay --board micaz --elf forged.elf 1-1.ilog
expect_complaint "the interface log has a function "
motet replay --board micaz --elf forged.elf --native 1-1.ilog
expect_complaint "the interface log has a function "

# An unknown function or file, where the component is said.
motet run --board micaz --for 1s --log-interface "collection_sent=x.ilog" "$plain"
expect_complaint "the firmware has no function 'collection_sent'"
motet replay --board micaz --elf "$elf" --monitor "interface:of=nosuch.c" 1-1.ilog
expect_complaint "no function of the firmware comes from a file 'nosuch.c'"
cat >one.c <<'C'
void inside(void) {}
int main(void) { inside(); }
C
motet cc --log-interface nosuch -- avr-gcc -mmcu=atmega328p -gdwarf-4 -Os one.c -o one.elf
expect_status 2
expect_err "no source of the program has code of 'nosuch'"
[ ! -e one.elf ] || fail "a program that is refused should not stay"

# A buffer without a size.
motet run --log-interface "component.c=x.ilog" "$unsized"
expect_complaint "points to bytes, and nothing says how many"
motet run --monitor "interface:of=component.c" "$unsized"
expect_complaint "points to bytes, and nothing says how many"
[ ! -e x.ilog ] || fail "a log that is refused should not stay"
printf 'void note(const char *text);\nvoid inside(void) { note("x"); }\n' >two.c
motet cc --log-interface two.c -- avr-gcc -mmcu=atmega328p -gdwarf-4 -Os -c two.c
expect_status 2
expect_err 'two.c:1:1: `text` of note points to bytes, and nothing says how many'
[ ! -e two.o ] || fail "an object that is refused should not stay"

# Two nodes with one id.
motet merge 1-1.ilog 1-2.ilog
expect_complaint "1-1.ilog and 1-2.ilog are both of node 1; a node has one log"
motet merge 1-1.ilog probes-1.ilog
expect_complaint "are both of node 1; a node has one log"
motet merge 2:1-1.ilog 2-2.ilog
expect_complaint "holds the id of its node; leave out 2:"
motet merge --follow 1-1.ilog 1-2.ilog
expect_complaint "are both of node 1"
printf 'for i = 1, 2 do node{ id = 1, board = "micaz", firmware = "%s", x = i } end\n' "$plain" >two.lua
motet run --quiet two.lua --log-interface "collection.c=two-%id.ilog"
expect_complaint "there already is a node 1"
motet run --board micaz --nodes 2 --for 1s --log-interface "collection.c=two.ilog" "$plain"
expect_complaint "holds one node; give each its own file"
motet replay --board micaz --elf "$elf" --time 'timer_now()/32768' 1:1-1.ilog 2:2-2.ilog
expect_complaint "is an interface log: components are replayed one at a time"
finish
