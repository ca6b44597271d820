# Variables and registers are read and written; what is written takes effect; flash and EEPROM can be read.
. ./session.sh
session debug-counter <<'.'
break add
continue
print limit
set var limit = 2
print limit
set var $r2 = 77
print $r2
continue
delete
break 43
continue
print total
x/2xb 0
print/u *(unsigned char*)0x800047
delete
continue
x/1xb 0x810003
.
expect '$1 = 5'
expect '$2 = 2'
expect '$3 = 77'
expect 'Breakpoint 1, add (n=2 '
expect '$4 = 5' # 1 + 4: the loop ended after two
expect '0x0 <__vectors>:	0x0c	0x94'
expect '= 249' # OCR0A
expect '0x810003:	0x05'
expect_none 'Cannot access'
finish
