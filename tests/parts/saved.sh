# A saved run names its parts, by path and digest. It opens with the same part at that path or where --part says, and is
# refused with another part or without one.
. ../lib/expect.sh
legs=PB0,PB1,PD4,spi0,i2c0,serial0,analog0
run=$work/run.motet
mkdir "$work/there" "$work/elsewhere"
cp "$PARTS/every.so" "$work/there/every.so"
motet run --quiet --digest --board uno --nodes 2 --for 500ms --serial '*:0=null' --save "$run" \
    --sense light=sine:1lux:100lux:7 \
    --part "$work/there/every.so:$legs" --part "1:$PARTS/loop.so:PB0,PB0,PC0" "$FIRMWARE/parts-every.elf"
expect_status 0
digest=$(sed -n 's/^motet: digest //p' "$work/err")
motet open "$run"
expect_status 0
expect_out "$digest"
motet open --verify "$run"
expect_status 0
# From a snapshot and from the beginning: the same states.
for at in 100ms 333ms 499.9ms; do
    motet open --at "$at" "$run"
    expect_status 0
    cp "$work/out" "$work/snapshot"
    motet open --anew --at "$at" "$run"
    expect_status 0
    [ "$(grep -o 'digest .*' "$work/snapshot")" = "$(grep -o 'digest .*' "$work/out")" ] ||
        fail "a snapshot should lead to the same state at $at"
done
# A debugger saves a piece of it, with the part.
printf 'seek 200ms\nsave %s\nquit\n' "$work/piece.motet" >"$work/commands"
motet open --line "$run" <"$work/commands"
expect_status 0
motet open --verify "$work/piece.motet"
expect_status 0

# What no file shows, an address in the state, is found by comparison.
motet run --quiet --board uno --for 50ms --serial 0=null --save "$work/pointer.motet" \
    --part "$PARTS/every-pointer.so:$legs" "$FIRMWARE/parts-every.elf"
expect_status 0
motet open --verify "$work/pointer.motet"
expect_status 1

mv "$work/there/every.so" "$work/elsewhere/every.so"
motet open "$run"
expect_complaint "the part $work/there/every.so cannot be read: No such file or directory. The run has this part;"
expect_err "--part FILE says where it is"
motet open --part "$work/elsewhere/every.so" --verify "$run"
expect_status 0
mv "$work/elsewhere/every.so" "$work/elsewhere/renamed.so"
motet open --part "$PARTS/loop.so" --part "$work/elsewhere/renamed.so" --verify "$run"
expect_status 0
motet open --line --part "$work/elsewhere/renamed.so" "$run" <"$work/commands"
expect_status 0
motet debug --line --part "$work/elsewhere/renamed.so" "$run" <"$work/commands"
expect_status 0
motet open --part "$work/elsewhere/renamed.so" --verify "$work/piece.motet"
expect_status 0

cp "$PARTS/every-other.so" "$work/there/every.so"
motet open "$run"
expect_complaint "the part $work/there/every.so is another than in the saved run: its digest is"
motet open --part "$work/there/every.so" --verify "$run"
expect_complaint "is another than in the saved run"
cp "$PARTS/wrong-variable.so" "$work/there/every.so"
motet open "$run"
expect_complaint "has a variable 'calls' that can change"
finish
