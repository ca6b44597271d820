#!/bin/sh
# usage: errors.sh MOTET
# What cannot be answered: a sentence, and exit status 2.
set -u
motet=$1 here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
failures=0
refused() { # SENTENCE ARGUMENTS...
    sentence=$1; shift
    "$motet" slice "$@" > out 2> said
    status=$?
    [ $status -eq 2 ] && [ "$(wc -l < said)" -eq 1 ] && grep -qF -- "$sentence" said ||
        { echo "FAILED: $*: status $status:"; cat said; failures=$((failures + 1)); }
}
program="$here/figure2.c --board uno"
refused "what is to be sliced?" $program
refused "there is no variable 'c'" $program --invariant 'a + c > 0'
refused "there is no variable 'c' in function f1 in figure2.c" $program --invariant 'figure2.c:f1: c > 0'
refused "there is no function 'f9'" $program --invariant 'figure2.c:f9: a > 0'
refused "there is no function 'f1' in other.c" $program --invariant 'other.c:f1: expr1 > 0'
refused "there is no function 'f9'" $program --invariant figure2.c:f9
refused "no code comes from these lines" $program --invariant 'figure2.c:900-901: a > 0'
refused "has no expression" $program --invariant 'figure2.c:'
refused "--stop-at f9: there is no such function" $program --invariant Inv_fun --stop-at f9
refused "there is no function 'f9'" $program --invariant Inv_fun --why f9
refused "is no level" $program --invariant Inv_fun --level 0
refused "there is no variable 'f9'" $program --forward f9
refused "draws levels" $program --forward f3 --graph x.svg
refused "cannot write" $program --invariant Inv_fun --graph none/x.dot
refused "board" "$here/figure2.c" --board none --invariant Inv_fun
refused "give the compiler's whole command" "$here/figure2.c" --board nrf52840dk --invariant Inv_fun

# The whole program: it is printed, then said.
cat > whole.c <<'END'
int level;
static void set(void) { level++; }
int main(void) { for (;;) set(); }
END
refused "the slice is the whole program" whole.c --board uno --invariant 'level < 10'
grep -q '^slice      2 of 2 functions' out || { echo "FAILED: the whole program is not shown"; failures=$((failures + 1)); }

# A build without LLVM does not have the module beside the program.
mkdir bare && cp "$motet" bare/ && ln -s "$(dirname "$motet")/target" bare/target
bare/motet slice whole.c --board uno --invariant 'level < 10' > out 2> said
[ $? -eq 2 ] && grep -q "without LLVM" said && [ "$(wc -l < said)" -eq 1 ] || { echo "FAILED: without LLVM:"; cat said; failures=$((failures + 1)); }
bare/motet boards > out || { echo "FAILED: the rest of the program, without LLVM"; failures=$((failures + 1)); }
[ "$failures" -eq 0 ]
