#!/bin/sh
# usage: accesses.sh MOTET SLICE-ACCESSES PLUGIN SOURCE AVR-GCC SECONDS APPLICATION...
# The kit's applications, run with a watch on all of memory: everything that a function reads or writes, the analysis
# allows. Compiled so that each function stays one.
set -u
motet=$1 accesses=$2 plugin=$3 source=$4 gcc=$5 seconds=$6; shift 6
kit=$source/firmware/kit
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" || exit 1
core="trap task timer board leds resource adc avr/start avr/uart avr/adc avr/clock_async"
radio="radio radio_power radio_phase random cc2420 avr/spi avr/micaz_radio"
collection="collection route link trickle host serial_receive serial_send"
failures=0
for application; do
    case $application in
    blink) parts=$core;;
    dip) parts="$core $radio dip items trickle";;
    dissemination) parts="$core $radio disseminate trickle";;
    timesync) parts="$core $radio timesync";;
    *) parts="$core $radio $collection";;
    esac
    app=$application
    [ "$app" = dip ] && app=dip_dhv
    files="$source/firmware/apps/$app.c $(for part in $parts; do echo "$kit/$part.c"; done)"
    options="-I$kit -I$source/target/include -DBOARD_MICAZ -DF_CPU=7372800UL -std=gnu11"
    "$gcc" -mmcu=atmega128 -O1 -g -fno-inline -fno-ipa-sra -fno-ipa-cp -fno-optimize-sibling-calls $options -o app.elf $files ||
        exit 1
    "$motet" run app.elf --board micaz --nodes 2 --for "$seconds"s --quiet --plugin "$plugin" 2> observed ||
        { cat observed; exit 1; }
    "$accesses" "$source/target" atmega128 $files -- $options > static || exit 1
    echo "$application: $("$(dirname "$0")/compare" observed static 40)" | grep . || failures=1
    "$(dirname "$0")/compare" observed static 40 > /dev/null || failures=1
done
exit $failures
