# The session in docs/debugging.md is what gdb prints.
. ./session.sh
awk '/^```gdb$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$SOURCE/docs/debugging.md" >"$work/documented"
[ "$(grep -c '^(gdb) ' "$work/documented")" -gt 8 ] || { echo 'docs/debugging.md shows no session'; exit 1; }
sed -n 's/^(gdb) \(.*\)/echo (gdb) \1\\n\n\1/p' "$work/documented" >"$work/session"
session debug-counter <"$work/session"
sed "s|$SOURCE/||; 1{/^0x00000000 in __vectors/d}; /^\[Inferior 1/d" "$work/out" >"$work/printed"
diff "$work/documented" "$work/printed" || show 'docs/debugging.md should show what is printed'
finish
