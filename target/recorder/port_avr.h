/* The recorder on AVR, as far as it is inline. Part of port.h.
 *
 * To the application interrupts can come between the entry of a stub and its CLI, and in the window of motet_idle, but
 * nowhere else in the recorder; these addresses all lie between motet_stubs and motet_library, and the way out (RETI,
 * or RET where interrupts were off) leaves no gap. Those that come in the worker are led to the window. */
#ifndef PORT_AVR_H
#define PORT_AVR_H

#include <avr/io.h>
#include <avr/pgmspace.h>

/* Beyond 128 KB of program memory return addresses have three bytes, the highest at the lowest address; the 17th bit of
 * an interrupted one is the highest of its vector's number. */
#ifdef __AVR_3_BYTE_PC__
enum { PC_BYTES = 3 };
typedef uint32_t code_address;
#else
enum { PC_BYTES = 2 };
typedef uint16_t code_address;
#endif

/* Where SE is, which lets the CPU sleep. */
#ifdef SMCR
#define SLEEP_CONTROL SMCR
#else
#define SLEEP_CONTROL MCUCR
#endif
enum { SLEEP_OPCODE = 0x9588, IN_R0_SREG = 0xb60f /* with which entries push the status */ };

#define PORT_TARDIS (6 | TARDIS_NARROW) /* bits of a vector's number; timers have 8 bits or 16 */

typedef uint8_t port_state;
static inline port_state port_lock(void)
{
    port_state was;
    __asm__ volatile("in %0, __SREG__\n\tcli" : "=r"(was)::"memory");
    return was;
}
static inline void port_unlock(port_state was)
{
    __asm__ volatile("out __SREG__, %0" ::"r"(was) : "memory");
}

#define port_unlock_application port_unlock

/* Words that handlers change, too: while the worker is at work, if that is a thread. */
#ifdef LEAN
#define PORT_ALONE(statement) statement
#else
#define PORT_ALONE(statement)         \
    do {                              \
        port_state was = port_lock(); \
        statement;                    \
        port_unlock(was);             \
    } while (0)
#endif
static inline uint16_t port_word(const uint16_t *at)
{
    uint16_t word;
    PORT_ALONE(word = *at);
    return word;
}
static inline void port_set_word(uint16_t *at, uint16_t word)
{
    PORT_ALONE(*at = word);
}
static inline void port_subtract(uint16_t *from, uint16_t number)
{
    PORT_ALONE(*from -= number);
}

/* Rewritten code counts in the low byte and calls motet_wrapped when that has come round. */
#define PORT_MEASURES 0 /* no function measures the clock */
enum { WRAPPED_STEP = 0x100 };

/* A result of an entry takes the place of the register that is loaded in the end. */
static inline void port_result(uint8_t *frame, uint16_t value, uint8_t size)
{
    frame[6] = (uint8_t)value;
    if (size == 2)
        frame[5] = (uint8_t)(value >> 8);
}

enum { FRAME_ABOVE = 16 + 2 * PC_BYTES }; /* from the stack pointer in motet_enter up to the interrupted one */

/* What start-up code has initialised; the recorder's own lies in .noinit. */
extern uint8_t __data_start[], __bss_end[];
#define RAM_FIRST __data_start
#define RAM_LAST  __bss_end
#define RAM_TOP   (CHIP_RAM_LAST + 1)

/* Where malloc() has got to. */
PRIVATE SMALL uint16_t port_heap_end(void);

/* Constants lie where the linker puts what must be in the first 64 KB. */
#define PORT_CONSTANT __attribute__((section(".progmem.gcc_motet")))
#define port_constant pgm_read_word
#define port_byte     pgm_read_byte

static inline uint16_t port_register(uint16_t at)
{
    return *(volatile uint8_t *)at;
}

static inline uint8_t port_register_size(uint16_t at)
{
    (void)at;
    return 1;
}

/* Of motet_idle, and of other entries that the worker goes on in: r29, r28 and r17 to r2 lie at `frame` + 1, then an
 * address, then what motet_save pushed. Saved are r0 to r31, SREG, SP, PC. */
enum { FRAME_FIRST = 0, FRAME_REGISTERS = 39 /* bytes */, FRAME_IDLE = 18 + PC_BYTES + 15 };

/* The lowest byte in use when it was entered. */
static inline uint16_t port_frame_sp(const uint8_t *frame)
{
    return (uint16_t)(uintptr_t)(frame + FRAME_IDLE + 1);
}

#ifdef WDTCSR
/* After a reset by the watchdog it goes on with its shortest period, some 15 ms (ATmega328P, 10.8.2): too short for
 * what that reset has left to be written. Until that is done it has its longest. */
static inline uint8_t port_slow_watchdog(void)
{
    uint8_t was = WDTCSR & (uint8_t) ~(1 << WDIF | 1 << WDCE);
    if (was & 1 << WDE)
        __asm__ volatile("wdr\n\tsts %0, %1\n\tsts %0, %2" ::"n"(_SFR_MEM_ADDR(WDTCSR)),
                         "r"((uint8_t)(1 << WDCE | 1 << WDE)), "r"((uint8_t)(1 << WDE | 1 << WDP3 | 1 << WDP0)));
    return was;
}
static inline void port_set_watchdog(uint8_t was)
{
    if (was & 1 << WDE)
        __asm__ volatile("wdr\n\tsts %0, %1\n\tsts %0, %2" ::"n"(_SFR_MEM_ADDR(WDTCSR)),
                         "r"((uint8_t)(1 << WDCE | 1 << WDE)), "r"(was));
}
#else /* is off after a reset */
static inline uint8_t port_slow_watchdog(void)
{
    return 0;
}
static inline void port_set_watchdog(uint8_t was)
{
    (void)was;
}
#endif

#endif
