/* ATmega128. Sends three frames, polling UDRE, at cycles that can be counted from this text; then exchanges two bytes
 * over SPI. Every instruction's cycle (from reset, in comments) is the one in which it begins. */
#define __SFR_OFFSET 0
#include <avr/io.h>

    .section .vectors, "ax", @progbits
    .global main
    .global __vectors
__vectors:
    ldi r16, 8              ; 0
    out UBRR0L, r16         ; 1: 9 * 16 cycles a bit
    ldi r16, 1 << TXEN0     ; 2
    out UCSR0B, r16         ; 3
    ldi r16, 'A'            ; 4
    out UDR0, r16           ; 5: straight to the shift register
    inc r16                 ; 6
    out UDR0, r16           ; 7: to the buffer
    inc r16                 ; 8
1:  sbis UCSR0A, UDRE0      ; 9, 12, ...: sbis takes 1, or 2 when it skips, rjmp 2
    rjmp 1b
    out UDR0, r16
1:  sbis UCSR0A, TXC0
    rjmp 1b
    ldi r17, 1 << PB0 | 1 << PB1 | 1 << PB2
    out DDRB, r17           ; SS, SCK, MOSI
    ldi r17, 1 << SPE | 1 << MSTR | 1 << SPR0
    out SPCR, r17           ; sixteen cycles a bit
    ldi r18, 0x5a
    out SPDR, r18           ; 1
1:  sbis SPSR, SPIF         ; 1, then 2
    rjmp 1b                 ; 2
    in r19, SPDR            ; 1
    out SPDR, r19           ; 1
1:  sbis SPSR, SPIF
    rjmp 1b
    in r20, SPDR
1:  rjmp 1b
