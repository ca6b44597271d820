# The tutorial, docs/python.md: its files, its commands and what these print. TUTORIAL=update puts the output there.
. "$SOURCE/tests/lib/core.sh"
page=$SOURCE/docs/python.md
cd "$work" && mkdir bin tree && cd tree || exit 1
awk '/^```[a-z]+ [a-z_]+\.[a-z]+$/ { file = $2; next } /^```/ { file = "" } file { print >file }' "$page"
cp "$FIRMWARE/network-cc2420-beacon.elf" beacon.elf

# As the Arduino tools build it; tests/arduino/CMakeLists.txt has the same.
build() { # SKETCH
    command="the sketch $1"
    avr-g++ -c -gdwarf-4 -Os -w -ffunction-sections -fdata-sections -flto -std=gnu++11 -fpermissive -fno-exceptions \
        -fno-threadsafe-statics -DDECIMAL_DIG=__DECIMAL_DIG__ -mmcu=atmega328p -DF_CPU=16000000L -DARDUINO=10819 \
        -I/usr/share/arduino/hardware/arduino/avr/cores/arduino -I/usr/share/arduino/hardware/arduino/avr/variants/standard \
        -x c++ -include Arduino.h "$1" -o sketch.o >"$work/out" 2>&1 &&
        avr-gcc -w -Os -gdwarf-4 -flto -fuse-linker-plugin -Wl,--gc-sections -mmcu=atmega328p -o doorbell.elf sketch.o \
            "$BUILD/tests/arduino/uno/core.a" -lm >>"$work/out" 2>&1 || fail "it should be built"
}
build doorbell.ino

printf '#!/bin/sh\nexec "%s" -m pytest -p no:cacheprovider "$@"\n' "$PYTHON" >"$work/bin/pytest"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$PYTHON" >"$work/bin/python3"
chmod +x "$work/bin/"*
PATH=$work/bin:$PATH COLUMNS=80 MOTET=/bin/false # without a page of `motet report`
export PATH COLUMNS MOTET
in_block=no
while IFS= read -r line; do
    case $in_block$line in
    'no```console') in_block=yes ;;
    'yes```') in_block=no ;;
    'yes$ '*)
        printf '%s\n' "$line"
        sh -c "${line#\$ }" 2>&1 </dev/null
        continue
        ;;
    yes*) continue ;;
    'noWith this sketch as'*) build fixed.ino >&2 ;;
    esac
    printf '%s\n' "$line"
done <"$page" >"$work/new"
sed 's/ in [0-9.]*s$/ in 0.38s/' "$work/new" >"$work/timeless"
command="docs/python.md" status=-
if [ "${TUTORIAL:-}" = update ]; then
    cp "$work/timeless" "$page"
else
    diff "$page" "$work/timeless" >"$work/out" || fail "the page should show what its commands print; TUTORIAL=update $0"
fi
finish
