#!/bin/sh
# usage: identity.sh MOTET COMPILER
# The build id of a program: the same for the same command on the same files, another where an option of the compiler, an
# option of the linker or a library makes it another program.
. "$(dirname "$0")/../lib/core.sh"
motet=$1 compiler=$2
cd "$work" || exit 1
mkdir folder
cat >main.c <<'C'
#include <avr/io.h>
volatile unsigned char seen;
unsigned char other(unsigned char value);
int main(void)
{
    for (;;)
        seen = other(PINB);
}
C
library() { # VALUE
    echo "unsigned char other(unsigned char value) { return value ^ $1; }" >other.c
    "$compiler" -mmcu=atmega128 -Os -c other.c && avr-ar rcsD libother.a other.o
}
id() { # OPTION...: of the program with these, in $is
    command="motet cc: $*"
    "$motet" cc --board micaz --profile tiny -- "$compiler" -mmcu=atmega128 -g "$@" -Wl,-Map,program.map -o program.elf main.c \
        -L. -lother >out 2>err || fail "it is not built"
    avr-objcopy -O binary --only-section=.motet.build --set-section-flags .motet.build=alloc program.elf id 2>>err
    is=$(od -An -tx1 id)
    [ -n "$is" ] || fail "there is no id"
}
library 1
id -Os
first=$is
TMPDIR=$work/folder && export TMPDIR
id -Os
[ "$is" = "$first" ] || fail "the same command gives another id"
id -O2
[ "$is" != "$first" ] || fail "an option of the compiler gives no other id"
id -Os -Wl,--section-start=.data=0x800200
[ "$is" != "$first" ] || fail "an option of the linker gives no other id"
library 2
id -Os
[ "$is" != "$first" ] || fail "a library gives no other id"
finish
