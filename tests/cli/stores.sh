# Memories that keep their contents without power: --flash, --eeprom, and the files that --save-flash and --save-eeprom write.
. "$SOURCE/tests/lib/expect.sh"
cd "$work" || exit 1
boots=$FIRMWARE/cli-boots.elf
micaz=$FIRMWARE/flash-test-micaz-checked.elf

counts() { # OUTPUT OPTION...: what the firmware says of its EEPROM
    said=$1
    shift
    motet run --quiet --board uno "$boots" "$@" </dev/null
    expect_status 0
    [ "$(cat out)" = "$said" ] || fail "should say $said"
}

# Written, then read after a reboot. The file takes the place of what the firmware's own file has.
counts 42 --save-eeprom one
[ "$(wc -c <one)" -eq 1024 ] || fail "all bytes of the EEPROM"
counts 52 --eeprom one --save-eeprom two
counts 62 --eeprom=two
counts 62 --eeprom 0:two --eeprom '*:one'
cmp -s one two && fail "the second file should have another count"

# Intel HEX gives some bytes; addresses are the memory's own, or those of an ELF file.
printf ':0100050038C2\n:00000001FF\n' >some.hex # 8 at address 5
counts 92 --eeprom some.hex
avr-objcopy -O ihex -j .eeprom "$boots" far.hex || fail "avr-objcopy"
counts 42 --eeprom far.hex
printf ':0104000038C3\n:00000001FF\n' >beyond.hex
motet run --board uno "$boots" --eeprom beyond.hex
expect_complaint "--eeprom: beyond.hex: 1 bytes at 0x400 reach beyond the memory's 1024 bytes"
printf ':01000500380' >cut.hex
motet run --board uno "$boots" --eeprom cut.hex
expect_complaint "--eeprom: cut.hex: line 1"

# What is wrong is said before anything is written.
head -c 100 one >short
cat one one >long
: >empty
for file in short long empty; do
    motet run --board uno "$boots" --eeprom $file --save-eeprom never
    expect_complaint "--eeprom: $file has $(wc -c <$file) bytes, but the EEPROM of uno has 1024"
done
motet run --board uno "$boots" --eeprom missing --save-eeprom never
expect_complaint "--eeprom: cannot read missing: No such file"
motet run --board uno "$boots" --eeprom . --save-eeprom never
expect_complaint "--eeprom: cannot read .: "
motet run --board uno "$boots" --eeprom= --save-eeprom never
expect_complaint "--eeprom: the name of a file is missing"
motet run --board uno "$boots" --eeprom one --eeprom two --save-eeprom never
expect_complaint "--eeprom is given twice, with one and two"
motet run --board uno "$boots" --eeprom 3:one --save-eeprom never
expect_complaint "--eeprom: there is no node 3"
motet run --board uno "$boots" --flash one --save-eeprom never
expect_complaint "--flash: the board has no serial flash memory"
motet run --board uno --nodes 2 "$boots" --save-eeprom never
expect_complaint "--save-eeprom: several nodes cannot share never"
[ ! -e never ] || fail "nothing should be written"
if [ -e "$FIRMWARE/flash-test-telosb-checked.elf" ]; then
    motet run --board telosb "$FIRMWARE/flash-test-telosb-checked.elf" --eeprom one
    expect_complaint "--eeprom: msp430f1611 has no EEPROM"
fi

# Nodes with contents of their own; one file for all; NODE: comes before *:.
motet run --quiet --nodes 3 --board uno "$boots" --serial '*:0=file:,said-%id' --eeprom two --eeprom 1:one \
    --save-eeprom kept-%id
expect_status 0
[ "$(cat said-0 said-1 said-2 | tr '\n' ' ')" = "62 52 62 " ] || fail "each node its own contents"
motet run --quiet --nodes 3 --board uno "$boots" --serial '*:0=file:,said-%id' --eeprom kept-%id
[ "$(cat said-0 said-1 said-2 | tr '\n' ' ')" = "72 62 72 " ] || fail "each node its own file"

# Part of the digest, of saved runs and of what a debugger goes through.
digest_of() { sed -n 's/^motet: digest //p' err; }
motet run --quiet --digest --board uno "$boots"
plain=$(digest_of)
motet run --quiet --digest --board uno "$boots" --eeprom two --save-eeprom last
filled=$(digest_of)
[ "$plain" != "$filled" ] || fail "contents should be part of the digest"
motet run --quiet --digest --board uno "$boots" --eeprom two --save run.motet
[ "$(digest_of)" = "$filled" ] || fail "saving should change nothing"
cp two away && rm two
for how in "" --anew; do
    motet open run.motet --at 1000s --json $how
    expect_status 0
    expect_out "\"digest_now\": \"$filled\""
done
motet open run.motet --verify
expect_out "digests are equal"
printf 'continue\nquit\n' | timeout 60 "$MOTET" debug --line --board uno --eeprom away "$boots" >out 2>err
expect_out 62

# The serial flash: the kit's test counts its starts there.
started() { # COUNT FLASH: of a node with that flash
    cat >flash.lua <<END
node{board = "$board", firmware = "$firmware"$2}
at_end(function() check(read(0, "boots") == $1, "starts counted: " .. read(0, "boots")) end)
run_for(2)
END
    motet run --quiet flash.lua --save-flash flash-$1
    expect_status 0
}
for board in micaz telosb; do
    firmware=$FIRMWARE/flash-test-$board-checked.elf
    [ -e "$firmware" ] || continue
    started 1 ""
    started 2 ', flash = "flash-1"'
    started 3 ', flash = "flash-2"'
    motet run --quiet --board $board --for 2s --flash flash-2 --save-flash again "$firmware"
    expect_status 0
    cmp -s again flash-3 || fail "an option and a field of the scenario should do the same"
done
motet run --board micaz --for 2s --flash one "$micaz"
expect_complaint "--flash: one has 1024 bytes, but the serial flash memory of micaz has 540672"
printf 'node{board = "micaz", firmware = "%s", flash = "one"}\nrun_for(1)\n' "$micaz" >bad.lua
motet run bad.lua
expect_complaint "bad.lua:1: one has 1024 bytes"
finish
