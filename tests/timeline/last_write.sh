# The last write of a variable, found by a program that uses the public interface alone: of a node, of one in a network, on
# both instruction sets; and back where it was the state is the same, or it says so.
failures=0

check() { # EXPECTED ARGUMENTS
    wanted=$1
    shift
    got=$("$LAST_WRITE" "$@" 2>&1)
    status=$?
    [ "$got" = "$wanted" ] && [ $status -eq "$expected" ] && return
    printf '%s: status %s\n%s\ninstead of\n%s\n' "$*" $status "$got" "$wanted"
    failures=$((failures + 1))
}

expected=0
counter='called at instruction 170, add (counter.c:26): 5
before the write at instruction 139, add+0x14 (counter.c:27): 1
after the write at instruction 140, add+0x18 (counter.c:27): 5
again at instruction 170, add (counter.c:26): 5'
check "$counter" "$FIRMWARE/debug-counter.elf" atmega328p 1 add 3 total
check "$counter" "$FIRMWARE/debug-counter.elf" atmega328p 3 add 3 total

if [ -e "$FIRMWARE/session-shapes-msp430f1611.elf" ]; then
    got=$("$LAST_WRITE" "$FIRMWARE/session-shapes-msp430f1611.elf" msp430f1611 1 weigh 2 sum)
    written=$(printf '%s\n' "$got" | sed -n 's/after .*(shapes.c:49): //p')
    if [ -z "$written" ] || ! printf '%s\n' "$got" | grep -q "^again .*weigh.*: $written$"; then
        printf 'session-shapes: what was written is not what is there\n%s\n' "$got"
        failures=$((failures + 1))
    fi
fi

expected=1
check 'last_write: there is no such function or variable' "$FIRMWARE/debug-counter.elf" atmega328p 1 add 1 tota
check 'last_write: the function is not called so often in 10 s' "$FIRMWARE/debug-counter.elf" atmega328p 1 add 6 total

# The piece of it that docs/debugging.md shows is still so.
shown=$(sed -n '/^```c$/,/^```$/p' "$SOURCE/docs/debugging.md" | grep -v '^```' | sed 's/^ *//;/^$/d')
[ -n "$shown" ] || failures=$((failures + 1))
missing=$(printf '%s\n' "$shown" | while read -r line; do
    grep -qF -- "$line" "$SOURCE/tests/timeline/last_write.c" || printf '%s\n' "$line"
done)
if [ -n "$missing" ]; then
    printf 'docs/debugging.md shows what is not in last_write.c:\n%s\n' "$missing"
    failures=$((failures + 1))
fi

[ $failures -eq 0 ]
