# The state of a part is part of the node: one digest with any number of threads, with and without observers, before and
# after a snapshot, in a scenario and by options.
. ../lib/expect.sh
legs=PB0,PB1,PD4,spi0,i2c0,serial0,analog0
digest() { # OPTIONS: sets $digest
    motet run --quiet --digest --for 300ms --serial '*:0=null' "$@"
    expect_status 0
    digest=$(sed -n 's/^motet: digest //p' "$work/err")
    [ -n "$digest" ] || fail "there should be a digest"
}
same() { [ "$digest" = "$first" ] || fail "$1: the digest should be $first, not $digest"; }

# Three nodes with one part each, and with another part on one of them.
for parts in "--part $PARTS/every.so:$legs" \
    "--part 0:$PARTS/every.so:$legs --part 1:$PARTS/every.so:$legs --part 2:$PARTS/every.so:$legs" \
    "--part *:$PARTS/every.so:$legs --part 1:$PARTS/loop.so:PB0,PB0,PC0"; do
    set -f
    digest --board uno --nodes 3 --threads 1 $parts "$FIRMWARE/parts-every.elf"
    first=$digest
    digest --board uno --nodes 3 --threads 3 $parts "$FIRMWARE/parts-every.elf"
    same "three threads"
    digest --board uno --nodes 3 --threads 2 $parts --trace parts --monitor profile "$FIRMWARE/parts-every.elf"
    same "with observers"
    set +f
done

# The part does matter: other parameters, another seed and another environment lead elsewhere.
digest --board uno --part "$PARTS/every.so:$legs" "$FIRMWARE/parts-every.elf"
first=$digest
for other in step=1001 scale=1; do
    digest --board uno --part "$PARTS/every.so:$legs,$other" "$FIRMWARE/parts-every.elf"
    [ "$digest" != "$first" ] || fail "$other should change the digest"
done
digest --board uno --seed 5 --part "$PARTS/every.so:$legs" "$FIRMWARE/parts-every.elf"
[ "$digest" != "$first" ] || fail "the seed should change the digest"
digest --board uno --sense light=10lux --part "$PARTS/every.so:$legs" "$FIRMWARE/parts-every.elf"
[ "$digest" != "$first" ] || fail "the light should change the digest"

# A scenario says the same as options do. Paths are seen from where it is.
cp "$PARTS/every.so" "$FIRMWARE/parts-every.elf" "$work"
cat >"$work/s.lua" <<END
for i = 0, 2 do node{ firmware = "parts-every.elf", board = "uno", parts = {"every.so:$legs"}, boot = 0.001 * i } end
END
(cd / && "$MOTET" run --quiet --digest --for 300ms --threads 1 "$work/s.lua" >/dev/null 2>"$work/one")
(cd "$work" && "$MOTET" run --quiet --digest --for 300ms --threads 3 s.lua >/dev/null 2>"$work/three")
cmp "$work/one" "$work/three" || fail "a scenario should have one digest"
digest --board uno --nodes 3 --boot 0:0s --boot 1:1ms --boot 2:2ms --part "$work/every.so:$legs" \
    "$FIRMWARE/parts-every.elf"
grep -q "$digest" "$work/one" || fail "a scenario should have the digest of options, $digest: $(cat "$work/one")"

# A node that is switched off and on again.
cat >"$work/again.lua" <<END
node{ firmware = "parts-every.elf", board = "uno", parts = {"every.so:$legs"} }
at(0.1, function() kill(0) end)
at(0.15, function() boot(0) sense(0, "light", 20) end)
at(0.2, function() boot(0) end)
run_for(0.3)
END
motet run --quiet --digest --serial '*:0=null' --save "$work/again.motet" "$work/again.lua"
expect_status 0
motet open --verify "$work/again.motet"
expect_status 0
finish
