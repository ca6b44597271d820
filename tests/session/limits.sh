# Steps end: at --for, where a firmware says nothing of lines, and in code without lines that goes on for ever.
. ./lines.sh

# Asleep for long: a step is not longer than the run.
session debug "$FIRMWARE/blink-micaz.elf" --board micaz --for 0.05s <<'END'
seek 49.9ms
step
when
stepi
when
seek 6s
when
END
expect 'This is where the run ends.'
expect '0.050000000 s, tick @368640'
expect 'This is where the run ends.'
expect '0.050000000 s, tick @368640'
expect 'the run ends at 0.050000000 s'
expect '0.050000000 s, tick @368640'
expect_status 0

# Without lines step says what to do, and does not move; stepi does.
avr-objcopy -O ihex -R .eeprom "$FIRMWARE/places.elf" "$work/places.hex"
session debug "$work/places.hex" --board atmega328p <<'END'
step
next
reverse-step
when
stepi
when
END
expect 'says nothing of lines: compile it with -g, or use stepi and nexti'
expect 'says nothing of lines'
expect 'says nothing of lines'
expect 'instruction 0, at'
expect 'instruction 1, at'

# Start-up code has no lines: out of it to the first that has.
session debug "$FIRMWARE/debug-counter.elf" <<'END'
step
END
expect 'Single stepping until exit from function __vectors, which has no line number information.'
expect 'main () at counter.c:'

# A loop without lines, in a firmware that has some: it ends.
session debug "$FIRMWARE/session-nolines.elf" <<'END'
break spin
continue
step
stepi
reverse-step
END
expect 'Single stepping until exit from function spin'
expect 'No line was reached in 100000 instructions; stepi, finish or a breakpoint lead on.'
expect ' in spin ()'
expect_status 0
finish
