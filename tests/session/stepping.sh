# Forward and backward by lines, instructions and functions.
. ./lines.sh

session debug "$FIRMWARE/debug-counter.elf" <<'END'
break add
continue
info args
next
next
next
next
step
step
where
finish
reverse-finish
reverse-step
reverse-next
reverse-next
reverse-stepi
stepi
END
expect 'Breakpoint 1 at 0xbc: add (counter.c:26)'
expect 'Breakpoint 1, add (n=1) at counter.c:26'
expect 'uint16_t s = square(n);'
expect 'n = 1'
expect 'counter.c:27'
expect 'main () at counter.c:40'
expect 'main () at counter.c:38' # over the interrupt that ends the sleep
expect 'main () at counter.c:39'
expect 'add (n=2) at counter.c:26'
expect 'square (n=2) at counter.c:1'
expect '#0  square (n=2) at counter.c:1'
expect '#1  0x0000c0 in add (n='
expect '#2  0x00011c in main () at counter.c:39'
expect 'Run till exit from #0  square (n=2)'
expect 'add (n='
expect 'Run back to call of #0'
expect 'main () at counter.c:39'
expect 'main () at counter.c:38'
expect 'main () at counter.c:40' # over the interrupt
expect 'add (n=<optimized out>) at counter.c:27'
expect_status 0

# nexti goes over calls, and back over them.
session debug "$FIRMWARE/debug-counter.elf" <<'END'
tbreak add
continue
nexti
reverse-nexti
info breakpoints
continue
when
reverse-continue
when
END
expect 'Temporary breakpoint 1, add (n=1) at counter.c:26'
expect 'counter.c:27'
expect 'add (n=1) at counter.c:26'
expect 'No breakpoints or watchpoints.'
expect 'The CPU stands still for good'
expect 'ended at'
expect 'No more reverse-execution history.'
expect '0.000000000 s, tick @0, instruction 0, at __vectors'

# Stepping back N instructions and forward again leads to the same place.
session debug "$FIRMWARE/debug-counter.elf" <<'END'
seek 5ms
reverse-stepi 100
when
stepi 37
reverse-stepi 37
when
END
first=$(grep -F ' instruction ' "$work/out" | sed -n 2p)
[ -n "$first" ] && [ "$(grep -F ' instruction ' "$work/out" | sed -n 3p)" = "$first" ] || show "both should be at $first"
finish
