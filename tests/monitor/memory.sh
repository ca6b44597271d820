# Monitors that keep records keep them in a temporary file: the memory of a long run is that of a short one. Also: a disk that is
# full is said, with status 2, and no findings are written that are not whole.
. "$SOURCE/tests/lib/expect.sh"
export MOTET_ENGINE=loop # a long run would load the translator, which is large

peak() { # ARGUMENT...: kilobytes of memory that motet took at most
    python3 -c 'import resource, subprocess, sys
child = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if child.returncode == 0 else 1 << 40)' "$MOTET" run --quiet "$@"
}

grows() { # SHORT LONG MONITOR ARGUMENT...: by more than 3 MB, where records alone would take at least 10 more
    short=$1 long=$2
    shift 2
    before=$(peak --for "$short" --monitor "$@") after=$(peak --for "$long" --monitor "$@")
    [ "$after" -lt $((before + 3072)) ] || fail "$1: $before KB for $short, $after KB for $long"
}

for format in ${LONG:+text json} csv vcd; do
    grows 500ms 2s pins:format=$format --board micaz "$FIRMWARE/flash-test-micaz-checked.elf"
done
grows 200ms 1s registers:limit=100000000 --board micaz "$FIRMWARE/flash-test-micaz-checked.elf"
grows 200ms 1s instructions:limit=100000000,registers=yes --board micaz "$FIRMWARE/flash-test-micaz-checked.elf"
grows 100ms 8s trace:calls=1 --board micaz "$FIRMWARE/flash-test-micaz-checked.elf"
grows 200ms 8s calls:limit=100000000 --board micaz "$FIRMWARE/flash-test-micaz-checked.elf"
grows 10s 200s packets --board micaz --nodes 6 "$FIRMWARE/multihop-oscilloscope-micaz-lpl512.elf"
for format in svg ${LONG:+distribution}; do
    grows 1s 10s plot:expression=mixed,format=$format --board uno "$FIRMWARE/busy-atmega328p.elf"
done

# The disk is full.
command="motet run --monitor pins with a limit on the size of files"
{
    trap '' XFSZ
    ulimit -f 100
    "$MOTET" run --quiet --for 1s --monitor pins --board micaz "$FIRMWARE/flash-test-micaz-checked.elf" </dev/null 2>&1
    echo "status $?"
} | cat >"$work/out"
expect_out "motet: monitors: cannot keep what they found in a temporary file: File too large"
expect_out "status 2"
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "nothing else should be written"
finish
