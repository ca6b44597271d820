# What cffi makes of the public headers is what the compiler makes of them.
. "$SOURCE/tests/lib/core.sh"
command=layout.py
"$PYTHON" "$SOURCE/tests/python/layout.py" >"$work/layout.c" 2>"$work/err" || fail "declarations"
[ "$(grep -c offsetof "$work/layout.c")" -gt 300 ] || fail "there should be hundreds of members"
command="cc layout.c"
cc -std=gnu17 -fsyntax-only "-I$SOURCE/include" "$work/layout.c" 2>"$work/err" || fail "structs should be laid out alike"
finish
