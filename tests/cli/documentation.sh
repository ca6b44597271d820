# Each verb has help and a man page, and both know the same options.
. "$SOURCE/tests/lib/expect.sh"
command=documentation status=- ; : >"$work/out"; : >"$work/err"

for option in --version -V; do
    motet $option
    expect_status 0
    grep -qE '^motet [0-9]+\.[0-9]+\.[0-9]+ \((no commit|[0-9a-f]{7,40}(\+changes)?)\)$' "$work/out" ||
        fail "the version should be a number and a commit"
done
motet --help
expect_status 0
cp "$work/out" "$work/help"
motet
expect_status 0
cmp -s "$work/out" "$work/help" || fail "motet alone should print the help"

verbs=$(sed -n 's/^  \([a-z]*\)  .*/\1/p' "$work/help")
[ "$(echo "$verbs" | wc -w)" -ge 5 ] || fail "the help should list the verbs"
for verb in $verbs; do
    page=$MAN/motet-$verb.1
    [ -s "$page" ] || fail "$verb should have a man page"
    motet "$verb" --help
    expect_status 0
    expect_no_err
    expect_out "usage: motet $verb"
    cp "$work/out" "$work/verb"
    motet help "$verb"
    cmp -s "$work/out" "$work/verb" || fail "motet help $verb should print what motet $verb --help prints"
    for option in $(sed -n 's/^\.It Fl Fl \([a-z-]*\).*/\1/p' "$page"); do
        grep -q -e "^  --$option" "$work/verb" || fail "motet $verb --help should mention --$option"
    done
    for option in $(sed -n 's/^  --\([a-z-]*\).*/\1/p' "$work/verb"); do
        grep -q -e "^\.It Fl Fl $option" "$page" || fail "motet-$verb(1) should mention --$option"
    done
    grep -q "motet-$verb 1" "$MAN/motet.1" || fail "motet(1) should refer to motet-$verb(1)"
done

command="mandoc -T lint"
for page in "$MAN"/*.1; do
    mandoc -T lint -W warning "$page" >"$work/err" 2>&1 || fail "$page"
    grep -q '@[A-Z]*@$' "$page" && fail "$page has something left to fill in"
done

finish
