#!/bin/bash
# Native programs without a log: what they compute, what gdb shows of them, what is refused, what sanitizers find.
# usage: programs.sh MOTET SOURCE-FOLDER
set -u
motet=$1 source=$2
here=$source/tests/native
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

expect() { # NAME FILE PATTERN...
    local name=$1 file=$2
    shift 2
    for pattern; do
        grep -qE -- "$pattern" "$file" && continue
        echo "$name: no line matches '$pattern' in:"
        head -30 "$file"
        failed=1
    done
}

native() { # PROGRAM OPTIONS...
    local program=$1
    shift
    "$motet" cc --native "$@" -- avr-gcc -mmcu=atmega128 -std=gnu11 -Os -I"$source/target/include" \
        "$here/$program.c" -o "$program" >"$program.err" 2>&1
}

native list && ./list >list.out
[ $? = 3 ] || { echo "list: another exit status than the firmware's 3"; failed=1; }
printf '1\n2\n3150320439\n7\n' | cmp - list.out || failed=1

gdb -q -batch -ex 'break walk' -ex run -ex bt -ex 'print *i' -ex 'print list[1].b' -ex 'print sizeof(struct item)' \
    ./list >gdb.out 2>&1
line_of() { grep -n -m1 -F "$1" "$here/list.c" | cut -d: -f1; }
expect gdb gdb.out "^#0 +walk .*list\.c:$(line_of 'uint32_t sum = 0')" "^#1 .* main .*list\.c:$(line_of 'put(walk(&copy))')" \
    'kind = 1 .*value = 100, .*wide = 11111, a = 1, b = 511, name = .*"one"' '= 200$' '= 25$'

native refused
[ $? = 2 ] || { echo "refused: status is not 2"; failed=1; }
for line in $(grep -n '/\* refused \*/' "$here/refused.c" | cut -d: -f1); do
    expect refused refused.err "refused\.c:$line: "
done
[ -e refused ] && { echo "a refused program was written"; failed=1; }

native overrun --sanitize address && ./overrun >overrun.out 2>&1
expect overrun overrun.out 'AddressSanitizer: global-buffer-overflow' '#0 .* in .*fill.*overrun\.c:10' "global variable 'samples'"

# UndefinedBehaviorSanitizer: with the chip's types, each place once, and nothing else.
native undefined --sanitize undefined && ./undefined >undefined.out 2>&1
for line in $(grep -n '/\* undefined \*/' "$here/undefined.c" | cut -d: -f1); do
    expect undefined undefined.out "undefined behaviour: .*undefined\.c:$line\)"
done
[ "$(grep -c 'undefined behaviour' undefined.out)" = 4 ] || { echo "undefined: other places too"; cat undefined.out; failed=1; }
native undefined --sanitize memory
[ $? = 2 ] && grep -q "the sanitizer 'memory' finds nothing" undefined.err || { echo "a sanitizer that is not known: $(cat undefined.err)"; failed=1; }

MOTET_CLANG=/nonexistent native list
[ $? = 2 ] || { echo "without clang: status is not 2"; failed=1; }
exit $failed
