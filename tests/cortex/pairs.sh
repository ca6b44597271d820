# Instructions that Motet executes in pairs do what they do one by one. A probe on every instruction parts all pairs: it
# must meet each instruction that is counted, and change no digest. Interrupts come, and runs end, after any cycle, and so
# between the two of a pair as well.
. "$SOURCE/tests/cortex/cortex.lib"

probe_all() { # ELF: writes a script
    echo 'local count = 0 local function met() count = count + 1 end'
    arm-none-eabi-objdump -d "$1" | sed -n 's/^ *\([0-9a-f]*\):\t[0-9a-f ]*\t[^.].*/probe("0x\1", met)/p'
    echo 'at_end(function() print("met", count) end)'
}

same() { # ELF OPTION...
    elf=$1
    shift
    motet run --json --board nrf52840dk --serial 0=null "$@" "$elf"
    tail -1 "$work/out" | sed 's/"wall_time": [0-9.]*//' >"$work/pairs"
    motet run --json --board nrf52840dk --serial 0=null --script "$work/probes.lua" "$@" "$elf"
    tail -1 "$work/out" | sed 's/"wall_time": [0-9.]*//' >"$work/alone"
    grep -q '"digest"' "$work/pairs" || fail "$elf should run"
    cmp -s "$work/pairs" "$work/alone" || fail "probes on all instructions should change nothing: $*"
}

LEVEL=-O2 compile "$work/exceptions.elf" "$here/exceptions.c"
probe_all "$work/exceptions.elf" >"$work/probes.lua"
same "$work/exceptions.elf" --for 1s --fault ignore
for kernel in crc sort16; do
    probe_all "$FIRMWARE/bench-$kernel-nrf52840.elf" >"$work/probes.lua"
    [ "$(grep -c probe "$work/probes.lua")" -gt 50 ] || fail "there should be instructions"
    for cycles in $(seq 200000 200023); do
        same "$FIRMWARE/bench-$kernel-nrf52840.elf" --for "@$cycles"
        expect_err "met	$(sed 's/.*"instructions": \([0-9]*\), "transmissions".*/\1/' "$work/pairs")"
    done
done
finish
