#!/bin/sh
# usage: commands.sh MOTET COMPILER
# However a compiler's command names its sources, the result records; if it does not, the link says so.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 compiler=$2
cd "$work" || exit 1
options="-mmcu=atmega128 -Os"

fail() { # SENTENCE COMMAND...
    echo "$1"
    shift
    echo "again: $*"
    failures=$((failures + 1))
}

records() { # FILE COMMAND...
    file=$1
    shift
    rm -f "$file"
    "$@" >said 2>&1 || fail "$(cat said)" "$@"
    [ ! -e "$file" ] && fail "$file was not made" "$@" && return
    avr-nm "$file" | grep -q motet_read8 || fail "$file does not record" "$@"
    [ ! -s said ] || fail "said: $(cat said)" "$@"
}

says() { # STATUS TEXT COMMAND...
    status=$1 text=$2
    shift 2
    "$@" >said 2>&1
    is=$?
    [ "$is" = "$status" ] && grep -q -- "$text" said || fail "status $is, said: $(cat said)" "$@"
}

cat >main.c <<'C'
#include <avr/io.h>
volatile unsigned char seen;
void other(void);
int main(void)
{
    for (;;) {
        seen = PINB;
        other();
    }
}
C
cat >other.c <<'C'
#include <avr/io.h>
volatile unsigned char more;
void other(void)
{
    more = PINC;
}
C
cp main.c main.text
avr-ld -m avr51 --verbose | sed '1,/^=====/d;/^=====/,$d' >script
cp main.c 'two words.c'
cc="$motet cc --board micaz -- $compiler $options"
# shellcheck disable=SC2086
{
    records main.o $cc -c main.c
    records out.o $cc -c -x c main.text -o out.o
    records out.o $cc -xc -c main.text -o out.o
    records out.elf $cc -x c main.text other.c -o out.elf
    records other.o $cc -c other.c
    records out.elf $cc -x c main.text -x none other.o -oout.elf
    cp main.o main.obj
    records out.elf $cc main.obj other.c -u main -L . -T script -o out.elf
    records out.o $cc -c 'two words.c' -o out.o
    records out.o $motet cc -- $compiler -c main.c -o out.o $options
    printf '%s\n' $options "-c 'two words.c'" '-o "out file.o"' >inner
    printf '@inner\n' >outer
    records 'out file.o' "$motet" cc --board micaz -- "$compiler" @outer
    printf '@circle' >circle
    says 2 'in a circle' $cc @circle
    says 2 'cannot read nowhere' $cc @nowhere -c main.c
    says 2 'standard input' $cc -x c -c - -o out.o
    says 2 'f77' $cc -x f77 -c main.c
    says 2 'no board' "$motet" cc --board micax -- "$compiler" $options -c main.c
    says 2 'uno-flash has an atmega328p' "$motet" cc --board uno-flash -- "$compiler" $options -c main.c
    says 0 'gcc version' $cc -v
    says 0 'libgcc' $motet cc -- $compiler -print-libgcc-file-name
    $cc -fsyntax-only main.c || fail "the compiler was not asked" $cc -fsyntax-only main.c

    $compiler $options -c other.c -o plain.o
    avr-ar rcs plain.a plain.o
    says 2 'other reads PINC (0x33), and does not record it' $cc main.o plain.o -o out.elf
    cc_all=$(printf '%s' "$cc" | sed 's/ -- / --unrecorded -- /')
    says 0 'warning: other reads PINC (0x33), and does not record it' $cc_all main.o plain.o -o out.elf
    says 0 'plain.o was not made by motet cc' $cc_all main.o plain.o -o out.elf
    mv plain.o plain.obj
    says 0 'plain.obj was not made by motet cc' $cc_all main.o plain.obj -o out.elf
    says 0 'plain.a(plain.o) was not made by motet cc' $cc_all main.o plain.a -o out.elf
    avr-ar rcs recorded.a other.o
    records out.elf $cc main.o recorded.a -o out.elf
    $cc -S other.c -o out.s && $compiler $options -c out.s -o assembled.o
    records out.elf $cc main.o assembled.o -o out.elf
}

# As CMake calls compilers, with response files.
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.21)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_NINJA_FORCE_RESPONSE_FILE 1 CACHE INTERNAL "")
project(app C)
add_library(part STATIC other.c)
add_executable(app.elf main.c)
target_link_libraries(app.elf PRIVATE part)
C
launcher="$motet;cc;--board;micaz;--"
built() {
    cmake -G Ninja -B built -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$options" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
        -DCMAKE_C_LINKER_LAUNCHER="$launcher" >log 2>&1 && ninja -C built >log 2>&1 || { cat log && return 1; }
    ! grep 'warning' log
}
records built/app.elf built

# Options that would hide the recorder from the program; those that change types are for the analysis, too.
cat main.c other.c >whole.c
records app.elf $cc -fwhole-program -o app.elf whole.c
cat >types.c <<'C'
enum level { LOW, HIGH };
enum level get(volatile enum level *p)
{
    return *p;
}
C
for types in "16 -fno-short-enums" "8 -fshort-enums" "16 -fshort-enums -fno-short-enums"; do
    $cc ${types#* } -S -o types.s types.c && grep -q "motet_pointer${types%% *}$" types.s || fail "enumerations are of another size" "$types"
done
exit $((failures > 0))
