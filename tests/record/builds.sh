#!/bin/sh
# usage: builds.sh MOTET EXACT COMPILER SKETCHES
# What others wrote passes through motet cc unchanged: a large single file, whose replay is exact as far as its log goes, and
# Arduino's core with sketches, as the Arduino tools build them.
. "$(dirname "$0")/../lib/core.sh"
here=$(dirname "$0")
core=/usr/share/arduino/hardware/arduino/avr
set -e
"$here/large" >"$work/large.c"
"$1" cc --board micaz -- "$3" -mmcu=atmega128 -Os -std=gnu11 -w -o "$work/large.elf" "$work/large.c"
"$2" "$work/large.elf" micaz 1 10000

options="-c -Os -w -ffunction-sections -fdata-sections -mmcu=atmega328p -DF_CPU=16000000L -DARDUINO=10819 -DARDUINO_AVR_UNO
    -DARDUINO_ARCH_AVR -DDECIMAL_DIG=__DECIMAL_DIG__ -I$core/cores/arduino -I$core/variants/standard -include Arduino.h
    -std=gnu++11 -fpermissive -fno-exceptions -fno-threadsafe-statics"
for sketch in millis analog interrupt; do
    cp "$4/$sketch.ino" "$work/$sketch.cpp"
done
for source in "$core/cores/arduino/HardwareSerial0.cpp" "$core/cores/arduino/Tone.cpp" "$work"/*.cpp; do
    # shellcheck disable=SC2086
    "$1" cc -- avr-g++ $options "$source" -o "$work/object.o" || {
        echo "builds.sh: $source does not pass through motet cc"
        exit 1
    }
done
