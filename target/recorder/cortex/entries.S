/* The recorder's entries on Cortex-M.
 *
 * What lies between NAME_core and NAME_end is a *core*: PRIMASK is set, the stack is the recorder's own, and the recorder
 * works in C. Replay goes from NAME_core to NAME_end, with the result of the log in r0, and executes all other
 * instructions here as they are. So a core ends with zero in r0 (but for a result), r1 to r3, r12 and lr, and with flags as
 * `cmp r1, r1` leaves them: src/record/replay_cortex.c does the same. Shortly before its end a core reads the cycle
 * counter: from there on cycles are the same in replay. */
#include "motet_chip.h"

#define RECORDER_STAMP 0
#define CYCCNT         0xe0001004
#define VTOR           0xe000ed08
#define FIRST_VECTOR   14

    .syntax unified
    .thumb

.macro entry name
    .section .text.motet.\name,"ax",%progbits
    .balign 4
    .global \name
    .type \name,%function
    .thumb_func
\name:
.endm

.macro ends name
    .balign 4
    .pool
    .size \name, .-\name
.endm

/* The label of a core is no function: it is found by its name. */
.macro core name
    .global \name\()_core
\name\()_core:
.endm

/* r3 keeps the stack pointer; C gets at most r0 to r2. */
.macro own_stack
    mov r3, sp
    ldr r12, =motet_stack_end
    mov sp, r12
    push {r3, lr}
.endm
.macro own_stack_ends
    pop {r3, lr}
    mov sp, r3
.endm

.macro leave_core name
    ldr r1, =CYCCNT
    ldr r2, =motet_recorder
    ldr r3, [r1]
    str r3, [r2, #RECORDER_STAMP]
    movs r1, #0
    mov r2, r1
    mov r3, r1
    mov r12, r1
    mov lr, r1
    cmp r1, r1
    .global \name\()_end
\name\()_end:
.endm

/* ---- functions that rewritten code calls: it expects r0 to r3, r12, lr and flags to change ---- */

.macro begin_call
    push {r4, lr}
    mrs r4, primask
    cpsid i
.endm
.macro end_call
    msr primask, r4
    pop {r4, pc}
.endm

/* A load that may be of a register of a device: those that are not are loads and nothing else. */
.macro load size, instruction
    entry motet_load\size
    cmp r0, #0x40000000
    bhs 2f
    cmp r0, #0x20000000
    bhs 1f
    ldr r1, =CHIP_CODE_END
    cmp r0, r1
    bhs 2f
1:
    \instruction r0, [r0]
    bx lr
2:
    begin_call
    core motet_load\size
    movs r1, #\size / 8
    own_stack
    bl motet_load_work
    own_stack_ends
    leave_core motet_load\size
    end_call
    ends motet_load\size
.endm
    load 8, ldrb
    load 16, ldrh
    load 32, ldr

.macro call name
    entry \name
    begin_call
    core \name
    own_stack
    bl \name\()_work
    own_stack_ends
    movs r0, #0
    leave_core \name
    end_call
    ends \name
.endm
    call motet_block
    call motet_flush
    call motet_freeze

/* ---- the start: from here on the vectors are the recorder's ---- */

    entry motet_boot
    begin_call
    core motet_boot
    mov r0, sp
    own_stack
    bl motet_boot_work
    own_stack_ends
    leave_core motet_boot
    ldr r1, =motet_application
    str r0, [r1]
    ldr r2, =motet_vectors
    movs r1, #0
1:
    ldr r3, [r0, r1, lsl #2]
    cmp r1, #FIRST_VECTOR
    it hs
    ldrhs r3, =motet_enter
    str r3, [r2, r1, lsl #2]
    adds r1, #1
    cmp r1, #CHIP_VECTORS
    blo 1b
    ldr r1, =VTOR
    str r2, [r1]
    dsb
    movs r0, #0
    movs r1, #0
    mov r2, r1
    mov r3, r1
    end_call
    ends motet_boot

/* ---- where all interrupts begin: nothing but the stack below is changed for the handler ---- */

    entry motet_enter
    cpsid i /* before it, a more urgent interrupt may come: recorder.c knows that by the address */
    push {r0-r5, r12, lr}
    mrs r4, apsr
    core motet_enter
    ldr r0, =CYCCNT
    ldr r0, [r0]
    mov r1, sp
    mov r2, lr
    own_stack
    bl motet_enter_work
    own_stack_ends
    movs r0, #0
    leave_core motet_enter
    ldr r0, =motet_application
    ldr r0, [r0]
    mrs r1, ipsr
    ldr r0, [r0, r1, lsl #2]
    ldr lr, [sp, #28]
    str r0, [sp, #28]
    msr apsr_nzcvq, r4
    cpsie i
    pop {r0-r5, r12, pc}
    ends motet_enter

/* ---- in the place of WFI and WFE: changes nothing ---- */

.macro sleep name, instruction
    entry \name
    push {r0-r5, r12, lr}
    mrs r4, apsr
    mrs r5, primask
    cpsid i
    core \name
    own_stack
    bl motet_idle_work
    own_stack_ends
    dsb
    \instruction
    movs r0, #0
    leave_core \name
    ldr lr, [sp, #28]
    msr apsr_nzcvq, r4
    msr primask, r5
    pop {r0-r5, r12, pc}
    ends \name
.endm
    sleep motet_wfi, wfi
    sleep motet_wfe, wfe

    .section .bss.motet_application,"aw",%nobits
    .balign 4
    .global motet_application
    .type motet_application,%object
motet_application:
    .space 4
    .size motet_application, 4
