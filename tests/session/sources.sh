# Sources are found where they were compiled, from any folder; where they have moved, in the working directory. Firmware
# with stabs, which says nothing of types, says what is missing, and its variables are numbers.
. ./lines.sh
command -v avr-gcc >/dev/null || { echo 'avr-gcc is not there'; exit 0; }

mkdir -p "$work/project/src"
cat >"$work/project/src/sum.c" <<'END'
volatile int total;
volatile char table[3];
__attribute__((noinline)) void add(int n)
{
    total += n;
}
int main(void)
{
    add(3);
    add(4);
    for (;;)
        table[0]++;
}
END
build() { # FORMAT
    (cd "$work/project" && avr-gcc -mmcu=atmega328p -Og "-g$1" -o "$1.elf" src/sum.c)
}
elsewhere() { # FOLDER FILE; commands from standard input
    (cd "$1" && timeout 300 "$MOTET" debug "$2" --line) >"$work/out" 2>&1
    status=$?
    last=0
}

for format in dwarf-2 dwarf-4 dwarf-5 stabs+; do
    build "$format"
    elsewhere / "$work/project/$format.elf" <<'END'
break add
continue
break src/sum.c:9
list 10
END
    expect 'Breakpoint 1, add ('
    expect '	    total += n;'
    expect 'Breakpoint 2 at '
    expect '10	    add(4);'
done

# The folder has moved: what is in the working directory counts.
mv "$work/project" "$work/moved"
printf 'break add\ncontinue\n' >"$work/in"
elsewhere "$work/moved" dwarf-4.elf <"$work/in"
expect '	    total += n;'
elsewhere / "$work/moved/dwarf-4.elf" <"$work/in"
expect "in $work/project/src/sum.c"

# Without types.
elsewhere / "$work/moved/stabs+.elf" <<'END'
break add
continue
continue
print total
print total + 1
print table
info locals
delete
watch total
continue
last-write total
END
expect 'total = 3 (as an unsigned number: the firmware says nothing of types; compile it with -gdwarf-4)'
expect 'total + 1 = 4'
expect 'does not say of which type `table` is: compile it with -gdwarf-4, or see its bytes with x/3xb 0x8001'
expect 'the firmware says nothing of variables; compile it with -gdwarf-4'
expect 'Old value = 3'
expect 'New value = 7'
expect 'total was written at'
expect_status 0
finish
