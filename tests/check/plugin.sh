# Properties in C: a plugin says the same as Lua, at the same time, and its counterexample is judged by it again.
. "$SOURCE/tests/lib/expect.sh"
pair() { # RULES OPTIONS...
    rules=$1
    shift
    motet check --board micaz --nodes 2 --steady 100ms --length 2s --late 0s --walks 4 --property "$rules" --json \
        --save "$work/found.motet" "$@" "$FIRMWARE/check-pair.elf"
}
pair "$PLUGINS/check-rules-1.so"
expect_status 0
pair "$PLUGINS/check-rules-2.so"
expect_status 1
expect_out "the property 'it comes to 60' does not hold"
jq -c '[.at, .node, .walk, .events]' "$work/out" >"$work/in-c"
motet check --json --replay "$work/found.motet"
expect_status 1
expect_out '"same": true'
cat >"$work/rules.lua" <<'END'
always("the task is whole", each(function(n) return n.var.left == n.var.right end))
never("it comes to 60", each(function(n) return n.var.right == 60 end))
END
pair "$work/rules.lua" --workers 1
expect_status 1
jq -c '[.at, .node, .walk, .events]' "$work/out" >"$work/in-lua"
cmp -s "$work/in-c" "$work/in-lua" || fail "C and Lua should say the same"

# The counterexample knows where its plugin was.
cp "$PLUGINS/check-rules-2.so" "$work/mine.so"
pair "$work/mine.so"
expect_status 1
mv "$work/mine.so" "$work/moved.so"
motet check --replay "$work/found.motet"
expect_complaint "mine.so"
motet check --replay "$work/found.motet" --property "$work/moved.so"
expect_status 1
expect_out "the error is still there"

pair "$PLUGINS/check-rules-0.so"
expect_complaint "it wants no network"
pair "$PLUGINS/check-rules-unknown.so"
expect_complaint "nothing.c::there"
pair "$COUNTER"
expect_complaint "motet_plugin_properties"
printf 'no object\n' >"$work/no.so"
pair "$work/no.so"
expect_complaint "no.so"
finish
