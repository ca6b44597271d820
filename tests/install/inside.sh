# What the installed program does where there is neither source nor build: PREFIX and MOTET are the installation.
prefix=$PREFIX
. ./expect.sh
PATH=$prefix/bin:$PATH

motet --version
expect_status 0
motet run --quiet --board uno --for 1.5s build/firmware/sensor.elf
expect_status 0
expect_out "a list 15 deep: sum 15"
printf 'break report\ncontinue\nreverse-stepi\nquit\n' >"$work/commands"
motet debug --board uno --line build/firmware/sensor.elf <"$work/commands"
expect_status 0
expect_out "report"

# A firmware that records, its log out of the flash, and the replay of that.
motet cc --board micaz -- avr-gcc -mmcu=atmega128 -DF_CPU=7372800 -Os -std=gnu11 -gdwarf-4 "-I$prefix/share/motet/target/include" \
    -o app.elf app.c
expect_status 0
motet cc --board micaz -- avr-gcc --version # has nothing to rewrite: the compiler's own answer
expect_status 0
expect_out "avr-gcc"
motet run --quiet --board micaz --for 2s --save-flash "$work/flash" app.elf
expect_status 0
motet collect "$work/flash" --output "$work/log"
expect_status 0
motet replay "$work/log" --elf app.elf --board micaz
expect_status 0
expect_err "the log ends after"

# The tour.
command="docs/tour.sh check" status=0
: >"$work/err"
sh docs/tour.sh check "$PWD/README.md" >"$work/out" 2>&1 || fail "the tour of the README"

for page in motet motet-run motet-cc; do
    [ -s "$prefix/share/man/man1/$page.1" ] || fail "there should be a man page $page"
done
finish
