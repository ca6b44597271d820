#!/bin/sh
# usage: arduino.sh MOTET EXACT SKETCHES FOLDER NAME...
# Sketches with Debian's Arduino core, built as the Arduino tools build them but by motet cc, run on an Uno with a data
# flash, and the replay of what each recorded is exact. The core is built into FOLDER, once for each motet.
# NAME has -i LINE before it where the sketch reads random bytes.
# BOARD (environment) is uno-flash, if it does not say mega-flash.
. "$(dirname "$0")/../lib/core.sh"
core=/usr/share/arduino/hardware/arduino/avr
case ${BOARD:=uno-flash} in
mega-flash) chip=atmega2560 variant=mega name=MEGA2560 ;;
*) chip=atmega328p variant=standard name=UNO ;;
esac
motet=$1 exact=$2 sketches=$3 folder=$4
shift 4
flags="-c -Os -g -w -ffunction-sections -fdata-sections -mmcu=$chip -DF_CPU=16000000L -DARDUINO=10819 -DARDUINO_AVR_$name
    -DARDUINO_ARCH_AVR -DDECIMAL_DIG=__DECIMAL_DIG__ -I$core/cores/arduino -I$core/variants/$variant -I$core/libraries/EEPROM/src
    -I$core/libraries/SPI/src -I$core/libraries/Wire/src -I$core/libraries/Wire/src/utility
    -I$core/libraries/SoftwareSerial/src"
cpp="-std=gnu++11 -fpermissive -fno-exceptions -fno-threadsafe-statics"
set -e

if [ ! "$folder/core.a" -nt "$motet" ] || [ ! "$folder/core.a" -nt "$0" ]; then
    mkdir -p "$folder"
    objects=
    for source in "$core"/cores/arduino/*.c "$core"/cores/arduino/*.cpp "$core"/libraries/Wire/src/Wire.cpp \
        "$core"/libraries/Wire/src/utility/twi.c "$core"/libraries/SoftwareSerial/src/SoftwareSerial.cpp \
        "$core"/libraries/SPI/src/SPI.cpp; do
        object=$folder/$(basename "$source").o
        case $source in
        # shellcheck disable=SC2086
        *.c) "$motet" cc --when-full wait --board "$BOARD" -- avr-gcc $flags -std=gnu11 "$source" -o "$object" ;;
        # shellcheck disable=SC2086
        *) "$motet" cc --when-full wait --board "$BOARD" -- avr-g++ $flags $cpp "$source" -o "$object" ;;
        esac
        objects="$objects $object"
    done
    # shellcheck disable=SC2086
    "$motet" cc --when-full wait --board "$BOARD" -- avr-gcc $flags -x assembler-with-cpp "$core/cores/arduino/wiring_pulse.S" -o "$folder/wiring_pulse.S.o"
    # shellcheck disable=SC2086
    avr-gcc-ar rcs "$folder/core.part" $objects "$folder/wiring_pulse.S.o"
    mv "$folder/core.part" "$folder/core.a"
fi

input=
for name; do
    case $name in
    -i) input=-i; continue ;;
    [0-9]) input="-i $name"; continue ;;
    esac
    sketch=$(ls "$sketches/$name.ino" "$(dirname "$0")/sketches/$name.ino" "$core"/libraries/*/examples/"$name/$name.ino" \
        2>/dev/null | head -n 1)
    # As the Arduino tools do it: functions are declared before the first line of code.
    sed -n 's/^\([a-z][A-Za-z_ ]* [A-Za-z_]*(.*)\) *{.*/\1;/p' "$sketch" | tr -d '\r' >"$work/$name.h"
    grep '^ *#include' "$sketch" | cat - "$work/$name.h" "$sketch" | tr -d '\r' >"$work/$name.cpp"
    # shellcheck disable=SC2086
    "$motet" cc --when-full wait --board "$BOARD" -- avr-g++ $flags $cpp -include Arduino.h "$work/$name.cpp" -o "$work/$name.o"
    "$motet" cc --when-full wait --board "$BOARD" -- avr-gcc -w -Os -g -Wl,--gc-sections -mmcu=$chip -o "$work/$name.elf" "$work/$name.o" \
        "$folder/core.a" -lm
    # shellcheck disable=SC2086
    "$exact" $input "$work/$name.elf" "$BOARD" 1 10000 || {
        cp "$work/$name.elf" "$folder/"
        echo "arduino.sh: $name fails; see $folder/$name.elf"
        exit 1
    }
    input=
done
