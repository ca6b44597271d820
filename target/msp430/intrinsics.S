/* What msp430-gcc has built in, for C whose headers only declare it: made for that compiler and preprocessed already, as nesC's
 * output is. Sources that include intrinsics.h have the same in line. */
    .macro function name
    .section .text.\name, "ax", @progbits
    .globl \name
    .type \name, @function
\name:
    .endm

    function __nop
    ret

    function __dint
    dint
    nop
    ret

    function __eint
    nop
    eint
    nop
    ret

    function __read_status_register
    mov r2, r12
    ret

    function __write_status_register
    mov r12, r2
    nop
    ret

    function __bis_status_register
    bis r12, r2
    nop
    ret

    function __bic_status_register
    bic r12, r2
    nop
    ret
