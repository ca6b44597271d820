# README.md shows what the program prints, and every file it refers to is there.
. "$SOURCE/tests/lib/expect.sh"
command="docs/tour.sh check" status=0
: >"$work/err"
"$SOURCE/docs/tour.sh" check >"$work/out" 2>&1 || fail "README.md"

# A README that lies is found out.
sed 's/sensor ready/sensor steady/' "$SOURCE/README.md" >"$work/README.md"
command="docs/tour.sh check, of a README that lies"
if "$SOURCE/docs/tour.sh" check "$work/README.md" >"$work/out" 2>&1; then
    fail "the lie should be found"
fi
expect_out "sensor steady"

command="links"
for file in $(cd "$SOURCE" && ls README.md CONTRIBUTING.md CHANGELOG.md docs/*.md); do
    for link in $(sed -n 's/.*](\([^)#:]*\)).*/\1/p' "$SOURCE/$file"); do
        [ -e "$SOURCE/$(dirname "$file")/$link" ] || fail "$file refers to $link, which is not there"
    done
done
finish
