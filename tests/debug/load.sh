# load writes the firmware into the flash of the node; it runs, and going back undoes it.
. ./session.sh
session debug-counter <<END
x/2xh 0x68
load $FIRMWARE/debug-other.elf
x/2xh 0x68
END
expect '0x68 <'
expect 'Loading section .text'
expect 'Transfer rate'
finish
