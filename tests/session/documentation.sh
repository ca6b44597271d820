# The session in docs/debugging.md is what is printed.
. ./lines.sh
awk '/^```session$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$SOURCE/docs/debugging.md" >"$work/documented"
[ "$(grep -c '^(motet) ' "$work/documented")" -gt 6 ] || { echo 'docs/debugging.md shows no session'; exit 1; }
sed -n 's/^(motet) //p' "$work/documented" >"$work/commands"
grep -v '^(motet) ' "$work/documented" >"$work/answers"
session debug "$FIRMWARE/debug-counter.elf" <"$work/commands"
sed 1,2d "$work/out" >"$work/printed" # where it begins
diff "$work/answers" "$work/printed" || show 'docs/debugging.md should show what is printed'
finish
