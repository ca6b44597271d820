# Call chains of the MSP430, as lldb sees them: the caller of a function without call frame information, the function
# that an interrupt came into, and registers that called functions need not keep.
. ./lines.sh

session debug "$FIRMWARE/session-callers-msp430f1611.elf" --board msp430f1611 <<'END'
break bare
continue
where
info registers
up
print $r12
info registers
print $sp
delete
break beat
continue
where
up
print $r11
up
print $r14
print $sr
reverse-finish
END
expect '#0  0x004048 in bare ()'
expect '#1  0x00409c in caller (first=7, second=9) at callers.c:20 (guessed)'
expect '#2  0x004074 in main () at callers.c:42 (guessed)'
expect 'r12      0x7'
expect '#1  0x00409c in caller'
expect '$r12 is unavailable in this frame'
expect 'pc       0x409c'
expect 'sr       <unavailable>'
expect 'r12      <unavailable>'
expect '$sp = 14588'
expect 'Breakpoint 2, beat () at callers.c:25' # its first line, though it has no prologue
expect '#1  0x00405e in timer_a0 () at callers.c:31'
expect '#2  0x0040b4 in wait_for ('
expect '#3  0x004090 in main () at callers.c:47'
expect '$r11 is unavailable in this frame'
expect '$r14 = 4660' # an interrupt's handler keeps them all
expect '$sr = '
expect_status 0

# A handler just entered has nothing but the status register and the return address on its stack.
session debug "$FIRMWARE/session-callers-msp430f1611.elf" --board msp430f1611 <<'END'
break *0x4050
continue
where
END
expect '#0  timer_a0 () at callers.c:30'
expect '#1  0x0040b4 in wait_for ('
expect '#2  0x004090 in main () at callers.c:47'

if command -v lldb-19 >/dev/null; then
    printf 'breakpoint set --name bare\ncontinue\nbt\nframe select 1\nregister read r12\nbreakpoint delete 1\n' >"$work/lldb"
    printf 'breakpoint set --name beat\ncontinue\nbt\n' >>"$work/lldb"
    LC_ALL=C timeout 300 "$MOTET" debug "$FIRMWARE/session-callers-msp430f1611.elf" --board msp430f1611 \
        --exec "lldb-19 --no-lldbinit -b -s '$work/lldb'" </dev/null >"$work/out" 2>&1
    last=0
    expect 'frame #0: 0x4048'
    expect 'frame #1: 0x409c session-callers-msp430f1611.elf`caller(first=7, second=9) at callers.c:20'
    expect 'frame #2: 0x4074 session-callers-msp430f1611.elf`main at callers.c:42'
    expect 'r12          = error: unavailable'
    expect '`beat at callers.c:25'
    expect '0x405e session-callers-msp430f1611.elf`timer_a0 at callers.c:31'
    expect '0x40b4 session-callers-msp430f1611.elf`wait_for'
fi
finish
