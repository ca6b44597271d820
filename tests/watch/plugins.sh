#!/bin/sh
# Plugins: a good one, and what is said of those that are not.
. "$(dirname "$0")/../lib/core.sh"

run() { # PLUGIN
    "$MOTET" run --board atmega128 --quiet --json --plugin "$1" "$FIRMWARE/watch-routing-atmega128.elf" \
        >"$work/out" 2>"$work/err"
    status=$?
}

has() { # TEXT
    grep -qF -- "$1" "$work/err" || fail "no '$1' in: $(cat "$work/err")"
}

run "$PLUGINS/plugin-counter.so"
[ $status -eq 0 ] || fail "a good plugin: status $status: $(cat "$work/err")"
count=$(sed -n 's/.*"instructions": \([0-9]*\).*/\1/p' "$work/out")
has "node 0: $count instructions, 86 writes" # start-up code has cleared it too
run "$PLUGINS/plugin-counter.so:nothing_like_it"
[ $status -eq 2 ] || fail "a plugin that does not start: status $status"
has "plugin-counter.so"
has "nothing_like_it"
run "$PLUGINS/plugin-broken.so"
[ $status -eq 2 ] || fail "a plugin that crashes: status $status"
has "plugin-broken.so crashed in its callback reads_nowhere"
run "$PLUGINS/plugin-NO_START.so"
[ $status -eq 2 ] || fail "a plugin without motet_plugin_start: status $status"
has "motet_plugin_start"
run "$PLUGINS/plugin-OTHER_VERSION.so"
[ $status -eq 2 ] || fail "a plugin of another version: status $status"
has "version 2"
for defect in CALLS_NOWHERE:reads_nowhere RECURSES:deeper START_CRASHES:motet_plugin_start; do
    run "$PLUGINS/plugin-${defect%:*}.so"
    [ $status -eq 2 ] || fail "a plugin that crashes, ${defect%:*}: status $status"
    [ ! -s "$work/out" ] || fail "nothing should be on standard output"
    has "plugin-${defect%:*}.so crashed in its callback ${defect#*:}"
done
# without its dynamic section: the loader follows it into nothing
head -c 2000 "$PLUGINS/plugin-counter.so" >"$work/half.so"
for file in "$PLUGINS/plugin-CONSTRUCTOR.so" "$work/half.so"; do
    run "$file"
    [ $status -eq 2 ] || fail "a plugin that crashes while it is loaded: status $status"
    has "$file crashed while it was loaded"
done
echo "not a shared object" >"$work/text.so"
cp "$FIRMWARE/watch-routing-atmega128.elf" "$work/avr.so"
mkdir "$work/folder.so"
for file in text avr folder; do
    run "$work/$file.so"
    [ $status -eq 2 ] || fail "$file.so is no plugin: status $status"
    has "$file.so cannot be loaded"
done
cp "$PLUGINS/plugin-counter.so" "$work/here.so"
(cd "$work" && "$MOTET" run --board atmega128 --quiet --plugin here.so "$FIRMWARE/watch-routing-atmega128.elf" >out 2>err)
has "instructions, 86 writes"
run "$work/none.so"
[ $status -eq 2 ] || fail "no plugin at all: status $status"
has "none.so"

finish
