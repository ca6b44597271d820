/* Routines in assembly, as people write them: one that only reads and counts, one that only writes, and a handler. */
#include <avr/io.h>

#define PORT _SFR_IO_ADDR(PINB)

        .macro twice register
        lsl     \register
        .endm

        .text
        .global measure ; uint16_t measure(uint8_t most): how long bit 0 of PINB stays as it is
measure:
        push    r17
        mov     r17, r24
        clr     r24
        clr     r25
        in      r18, PORT
1:      in      r19, PORT
        eor     r19, r18
        sbrc    r19, 0
        rjmp    2f
        adiw    r24, 1
        dec     r17
        brne    1b
2:      pop     r17
        ret
        .size   measure, .-measure

        .global fill ; void fill(uint8_t *bytes, uint8_t count)
fill:
        movw    r26, r24
        twice   r22
.Lround:
        st      X+, r22
        dec     r22
        brne    .Lround
        ret

        .global TIMER0_OVF_vect
TIMER0_OVF_vect:
        push    r24
        in      r24, _SFR_IO_ADDR(SREG)
        push    r24
        lds     r24, beats
        inc     r24
        sts     beats, r24
        pop     r24
        out     _SFR_IO_ADDR(SREG), r24
        pop     r24
        reti
