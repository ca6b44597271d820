# Everything a user can get wrong is answered by one sentence and status 2.
. "$SOURCE/tests/lib/expect.sh"
hello=$FIRMWARE/cli-hello.elf

motet rum
expect_complaint "there is no verb 'rum'; did you mean motet run?"
motet xyzzy
expect_complaint "there is no verb 'xyzzy'; see motet --help"
motet --frobnicate
expect_complaint "there is no option '--frobnicate' before a verb"
motet help nonsense
expect_complaint "there is no verb 'nonsense'"

motet run
expect_complaint "run needs FILE"
motet run "$hello" another
expect_complaint "run does not know what to do with 'another'"
motet run --bord uno "$hello"
expect_complaint "run has no option '--bord'; did you mean --board?"
motet run -x "$hello"
expect_complaint "run has no option '-x'"
motet run "$hello" --for
expect_complaint "--for needs a value (TIME)"
motet run --realtime=yes "$hello"
expect_complaint "--realtime takes no value"
motet boards extra
expect_complaint "boards does not know what to do with 'extra'"

motet run "$work/missing.elf"
expect_complaint "$work/missing.elf"
expect_err "No such file"
motet run "$work"
expect_complaint "directory"
: >"$work/empty.elf"
motet run "$work/empty.elf"
expect_complaint "empty"
printf 'this is a text\n' >"$work/text.elf"
motet run "$work/text.elf"
expect_complaint "$work/text.elf"
printf '\177ELF' >"$work/short.elf"
motet run "$work/short.elf"
expect_complaint "$work/short.elf"
if [ "$(id -u)" -ne 0 ]; then
    cp "$hello" "$work/secret.elf" && chmod 0 "$work/secret.elf"
    motet run "$work/secret.elf"
    expect_complaint "Permission denied"
fi
printf ':00000001FF\n' >"$work/no.hex"
motet run "$work/no.hex"
expect_complaint "$work/no.hex"
printf ':0400000000000000FC\n:00000001FF\n' >"$work/chip.hex"
motet run "$work/chip.hex"
expect_complaint "choose one with --board"
motet run "$(printf 'a\nb\033[31m')"
expect_complaint "a?b?[31m"

motet run --board unoo "$hello"
expect_complaint "there is no board or chip 'unoo'; did you mean \`uno\`? Known are uno, "
motet run --board ardunio "$hello"
expect_complaint "there is no board or chip 'ardunio'; did you mean \`arduino\`?"
motet run --board zzzzzz "$hello"
expect_complaint "there is no board or chip 'zzzzzz'; known are uno, "
motet run --board mega "$hello"
expect_complaint "built for atmega328p, but the board has atmega2560"

for time in 10q "" -1s 1.2.3s 1e3s " 1s" @ @x @1.5 0.1ns 99999999999999999999999s 999999999999h; do
    motet run --for "$time" "$hello"
    expect_complaint "--for: '$time'"
done
for clock in 0 fast 16GHz 5MHzz -1 2000000000 1; do
    motet run --clock "$clock" "$hello"
    expect_complaint "--clock: '$clock'"
done
motet run --seed -1 "$hello"
expect_complaint "--seed: '-1' is not a number"
motet run --seed 18446744073709551616 "$hello"
expect_complaint "--seed: '18446744073709551616' is too big"
motet run --seed 0x "$hello"
expect_complaint "--seed: '0x' is not a number"
for fuses in 1 1,2 1,2,3,4 "" ,, 256,0,0 x,y,z; do
    motet run --fuses "$fuses" "$hello"
    expect_complaint "--fuses: "
done
motet run --lock 300 "$hello"
expect_complaint "--lock: '300' is too big; the most is 255"
motet run --fault explode "$hello"
expect_complaint "choose stop, warn or ignore"
motet run --fault null-write=explode "$hello"
expect_complaint "choose stop, warn or ignore"
motet run --fault segfault=warn "$hello"
expect_complaint "the kinds are illegal-opcode, erased-flash"
motet run --trace lights "$hello"
expect_complaint "choose among leds, pins, serial, resets"
motet run --trace "" "$hello"
expect_complaint "choose among leds, pins, serial, resets"

motet run --serial 0 "$hello"
expect_complaint "'0' is not PORT=PLACE"
motet run --serial x=pty "$hello"
expect_complaint "'x' is not a number"
motet run --serial 0=carrier-pigeon "$hello"
expect_complaint "write stdio, null, pty, tcp:PORT, sf:PORT, file:INPUT,OUTPUT or timed:INPUT,OUTPUT"
motet run --serial 0=tcp:http "$hello"
expect_complaint "is not a TCP port"
motet run --serial 0=tcp:65536 "$hello"
expect_complaint "is not a TCP port"
motet run --serial 3=null "$hello"
expect_complaint "atmega328p has no serial port 3"
motet run --serial "0=file:$work/missing" "$hello"
expect_complaint "cannot read $work/missing for serial 0: No such file"
motet run --serial "0=file:$work" "$hello"
expect_complaint "it is a directory"
motet run --serial "0=file:,$work/no/such/folder" "$hello"
expect_complaint "cannot write $work/no/such/folder for serial 0"
motet run --serial 0=stdio --serial console=stdio "$hello"
expect_complaint "only one port can have stdio"

for analog in 0 =1V x=1V 9=1V 32=1V 0=warm 0=1A 0=sine:1V 0=sine:0V:1V:fast "0=file:$work/missing"; do
    motet run --analog "$analog" "$hello"
    expect_complaint "--analog: "
done
printf '0s 1V\n10ms hot\n' >"$work/samples"
motet run --analog "0=file:$work/samples" "$hello"
expect_complaint "$work/samples, line 2: 'hot' is not a voltage"
printf '10ms 1V\n5ms 2V\n' >"$work/samples"
motet run --analog "0=file:$work/samples" "$hello"
expect_complaint "the times of channel 0 do not ascend"
: >"$work/samples"
motet run --analog "0=file:$work/samples" "$hello"
expect_complaint "holds no samples"
for drive in PD2 PD2=2 =1 PD2=1@never PD2@1s=1 PORTDPIN2=1; do
    motet run --drive "$drive" "$hello"
    expect_complaint "--drive: "
done
motet run --drive PZ9=1 "$hello"
expect_complaint "atmega328p has no pin 'PZ9'"

motet disassemble --function maine "$hello"
expect_complaint "no function 'maine'; did you mean main?"
motet info "$work/missing.elf"
expect_complaint "$work/missing.elf"

finish
