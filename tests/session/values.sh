# Variables by DWARF, on both instruction sets: fields, elements, pointers, locals in memory and registers.
. ./lines.sh

look() { # FIRMWARE [OPTIONS]
    session debug "$FIRMWARE/session-shapes-$1.elf" --board "$1" <<'END'
break weigh
continue
continue
print *e
print e->weight
print table[2].next->id
print e->next
print table[e->id - 11]
print &table[1] == e
print factor
print/x factor * 256 + 1
print table[2].level
print head->colour
print table[0].colour == 0 && e->weight < -4
info args
up
info locals
info line
print e->id
down
delete 1
tbreak depth if n == 0
continue
where
up 3
print n
x/2xb &table[1].id
x/s name
x/2i $pc
print $pc == 0
print sum +
print (1 + 2) * 3 - -4
print e
info variables
list main
disassemble depth
info registers
END
    expect 'Breakpoint 1, weigh (e='
    expect 'Breakpoint 1, weigh (e='
    expect '*e = {id = 11, weight = -5, colour = GREEN, flag = 0, level = 4, next = 0x'
    expect 'e->weight = -5'
    expect 'table[2].next->id = 11'
    expect 'e->next = 0x'
    expect 'table[e->id - 11] = {id = 10, weight = 0'
    expect '&table[1] == e = 1'
    expect 'factor = 11'
    expect 'factor * 256 + 1 = 0xb01'
    expect 'table[2].level = 5'
    expect 'head->colour = BLUE'
    expect 'table[0].colour == 0 && e->weight < -4 = 1'
    expect 'factor = 11'
    expect '#1  0x'
    expect 'e = 0x'
    expect 'weigh(e, e->id)'
    expect 'e->id = 11'
    expect '#0  weigh (e='
    expect 'Temporary breakpoint 2, depth (n=0)'
    expect '#0  depth (n=0) at shapes.c:'
    expect '#4  0x'
    expect 'in main () at shapes.c:50'
    expect '#3  0x'
    expect '0xb'
    expect '"motet"'
    expect '=> 0x'
    expect '$pc == 0 = 0'
    expect 'a value is expected'
    expect '(1 + 2) * 3 - -4 = 13'
    expect 'uint16_t sum'
    expect 'int main(void)'
    expect 'depth:'
    expect '<+0>:'
    expect_status 0
}

look atmega328p
[ -e "$FIRMWARE/session-shapes-msp430f1611.elf" ] && look msp430f1611

# What is set is undone by going back before it, and done again by going forward.
session debug "$FIRMWARE/debug-counter.elf" <<'END'
tbreak add
continue
set limit = 2
print limit
seek 0
seek 1ms
print limit
continue
print limit
print total
set limit
set nothing = 3
END
expect 'limit = 2'
expect 'limit = 2'
expect 'The CPU stands still for good'
expect 'limit = 2'
expect 'total = 1000'
expect 'set what?'
expect 'there is no global or static variable'
finish
