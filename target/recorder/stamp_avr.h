/* Cycle stamps on AVR (motet cc --stamp): a 16-bit timer on the CPU's clock takes the place of counted steps.
 *
 * Part of port_avr.h. Whoever leaves the recorder sets the timer to zero, a fixed number of cycles before the
 * application goes on; motet_enter reads it a fixed number of cycles behind the interrupt. What is left is how many
 * cycles the application itself has executed: replay, which executes the same instructions, delivers the interrupt when
 * as many have gone by. motet_count counts how often the recorder was left without an event. Invariant: between two
 * times that the timer is set to zero there is nothing whose duration replay does not know, but a loop that polls,
 * while motet_uncounted is not zero: there an interrupt's address is recorded, too.
 *
 * The timer's own interrupt, halfway round, is recorded as any other, so that the timer does not come round unnoticed
 * while the application is busy; it is off while the recorder's worker is at work, and before sleep. */
#define STAMP_JOIN(a, number, b) a##number##b
#define STAMP_NAME(a, number, b) STAMP_JOIN(a, number, b)
#define STAMP_REGISTER(a, b)     STAMP_NAME(a, MOTET_STAMP, b)
#if defined ETIMSK /* ATmega128, of which Timer1 has flags among those of others */
#if MOTET_STAMP != 3
#error "the timer for stamps can only be timer3 on this chip"
#endif
#define STAMP_FLAGS ETIFR
#define STAMP_MASK  ETIMSK
#else
#define STAMP_FLAGS STAMP_REGISTER(TIFR, )
#define STAMP_MASK  STAMP_REGISTER(TIMSK, )
#endif
#define STAMP_OVERFLOW (1 << STAMP_REGISTER(TOV, ))

/* Cycles from setting the timer in motet_leave to the application, 16 (17), and from there to reading it in
 * motet_enter: the CPU's response, the vector, its stub and two pushes, 18 (20). To a handler it is five more than to
 * the rest of the application, which replay knows (replay_stamps.h). In brackets with addresses of three bytes. Not
 * among them is what lies between a write of the timer and a read right behind it, which stamp_begin measures.
 * motet_stamp+3 has all. */
#define STAMP_AWAY (34 + 3 * (PC_BYTES - 2))

#define STAMP_LEAVE                                                                               \
    "push r24\n\tldi r24, lo8(motet_stamp_wakes)\n"                                               \
    "motet_leave_so:\n\tsts motet_stamp_mask, r24\n"                                              \
    "motet_leave_on:\n\tldi r24, 0\n\tsts motet_stamp_low+1, r24\n\tsts motet_stamp_low, r24\n\t" \
    "ldi r24, lo8(motet_stamp_both)\n\tsts motet_stamp_flags, r24\n\tpop r24\n\t"
#define STAMP_EVEN "nop\n\t" /* as many cycles with interrupts on as off */
#define STAMP_REST "ldi r24, 0\n\tsts motet_stamp_mask, r24\n\t"
#define STAMP_AWAKE                                                                                   \
    "motet_load\n\tpush r24\n\ttst r24\n\tldi r24, lo8(motet_stamp_wakes)\n\tbrne 1f\n\tldi r24, 0\n" \
    "1:\trjmp motet_leave_so\n\t"
#define STAMP_DOZE "push r24\n\trjmp motet_leave_so\n"
#define STAMP_READ                                                                                               \
    "push r18\n\tpush r19\n\tlds r18, motet_stamp_low\n\tlds r19, motet_stamp_low+1\n\tsts motet_stamp, r18\n\t" \
    "sts motet_stamp+1, r19\n\tlds r18, motet_stamp_flags\n\tsts motet_stamp+2, r18\n\tpop r19\n\tpop r18\n"
/* Of an interrupt in the worker only that it came in motet_idle: no cycle. */
#define STAMP_WINDOW                                                                             \
    "lds r24, motet_stamp+3\n\tsts motet_stamp, r24\n\tldi r24, 0\n\tsts motet_stamp+1, r24\n\t" \
    "sts motet_stamp+2, r24\n\t"
/* Behind a loop that polls. */
#define STAMP_POLLS                                                                               \
    ".global motet_polled\n\t.type motet_polled,@function\n"                                      \
    "motet_polled:\n\tpush r0\n\tin r0, __SREG__\n\tcli\n\t" FORGET_FLAGS "push r24\n\t"          \
    "lds r24, motet_uncounted\n\tdec r24\n\tsts motet_uncounted, r24\n\t"                         \
    "lds r24, motet_count\n\tinc r24\n\tsts motet_count, r24\n\tbreq 1f\n\trjmp motet_leave_on\n" \
    "1:\tpop r24\n\tmotet_go motet_wrapped_work\n\t.size motet_polled, .-motet_polled\n"
#define WHICH_CODE ""

/* As ENTER_FAST of port_avr.h. In loops that poll, and where the timer has come round, C does it. */
#define STAMP_ENTER                                                                                             \
    "motet_begin_fast\n\tlds r18, motet_recorder+5\n\ttst r18\n\tbrne 9f\n\t" LITTLE_LEFT "9:\trjmp 8f\n"       \
    "2:\t" SLEEP_IS_ON "in r30, __SP_L__\n\tin r31, __SP_H__\n\tldd r18, Z+10\n\tldd r19, Z+9\n\t" BEHIND_SLEEP \
    "4:\tlds r18, motet_stamp+2\n\tandi r18, lo8(motet_stamp_over)\n\tlds r19, motet_uncounted\n\t"             \
    "or r18, r19\n\tbrne 8f\n\t" NOTE_COMPARE "lds r18, motet_stamp\n\tlds r19, motet_stamp+3\n\tsub r18, "     \
    "r19\n\tlds r19, motet_stamp+1\n\tsbci r19, 0\n\t"                                                          \
    "mov r30, r18\n\tor r30, r19\n\tbreq 5f\n\t" NEXT_UNIT                                                      \
    "st Z, r24\n\tstd Z+2, r18\n\tstd Z+3, r19\n\tldi r18, 0xff\n\tstd Z+1, r18\n\trcall "                      \
    "motet_advance\n\t" NEXT_UNIT                                                                               \
    "ldi r18, 0\n\tstd Z+2, r18\n\tstd Z+3, r18\n\tlds r18, motet_count+1\n\tstd Z+1, r18\n\t"                  \
    "lds r18, motet_recorder+20\n\tinc r18\n\tsts motet_recorder+20, r18\n\t"                                   \
    "lds r18, motet_count\n\tst Z, r18\n\trjmp motet_other\n"                                                   \
    "5:\t" NEXT_UNIT "ldi r18, 0xfc\n\tstd Z+1, r18\n\tlds r18, motet_count\n\tstd Z+2, r18\n\t"                \
    "lds r18, motet_count+1\n\tstd Z+3, r18\n\trjmp 7b\n"                                                       \
    "8:\tmotet_end_fast\n\tout __SREG__, r0\n\tpop r0\n"

/* The timer as motet_enter has read it, its flags then, and STAMP_AWAY with what a write and a read take. */
uint8_t motet_stamp[4] __attribute__((section(".noinit"), used));

#define STAMP_TAKEN    ((uint16_t)(motet_stamp[0] | motet_stamp[1] << 8))
#define STAMP_CONSTANT motet_stamp[3]
/* The flag was read behind the count, which may have come round just then. */
#define STAMP_CAME_ROUND ((motet_stamp[2] & STAMP_OVERFLOW) && STAMP_TAKEN < 0xfff0)

/* The CPU's clock is the timer's, and motet cc refuses what stops either. */
static inline uint8_t stamp_fails(const uint8_t *frame)
{
    (void)frame;
    return 0;
}

static void stamp_begin(void)
{
    __asm__ volatile(".equ motet_stamp_low, %0\n\t.equ motet_stamp_flags, %1\n\t.equ motet_stamp_mask, %2\n\t"
                     ".equ motet_stamp_wakes, %3\n\t.equ motet_stamp_both, %4\n\t.equ motet_stamp_over, %5\n\t"
                     ".global motet_stamps_of_timer" RECORDER_TEXT(
                         MOTET_STAMP) "\n\t"
                                      ".equ motet_stamps_of_timer" RECORDER_TEXT(MOTET_STAMP) ", 1" ::"n"(
                                          _SFR_MEM_ADDR(STAMP_REGISTER(TCNT, L))),
                     "n"(_SFR_MEM_ADDR(STAMP_FLAGS)), "n"(_SFR_MEM_ADDR(STAMP_MASK)), "n"(1 << STAMP_REGISTER(OCIE, A)),
                     "n"(STAMP_OVERFLOW | 1 << STAMP_REGISTER(OCF, A)), "n"(STAMP_OVERFLOW));
    STAMP_REGISTER(TCCR, A) = 0;
    STAMP_REGISTER(OCR, A) = 0x8000;
    STAMP_REGISTER(TCCR, B) = 1;
    uint8_t behind;
    __asm__ volatile("sts motet_stamp_low+1, __zero_reg__\n\tsts motet_stamp_low, __zero_reg__\n\t"
                     "lds %0, motet_stamp_low"
                     : "=r"(behind));
    motet_stamp[3] = STAMP_AWAY + behind;
}

#define STAMP_VECTOR_OF(number) MOTET_VECTOR(number)
STAMP_VECTOR_OF(STAMP_REGISTER(TIMER, _COMPA_vect_num));
void STAMP_REGISTER(TIMER, _COMPA_vect)(void) __attribute__((signal, used, externally_visible, naked));
void STAMP_REGISTER(TIMER, _COMPA_vect)(void)
{
    __asm__ volatile("reti");
}
