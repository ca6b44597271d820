/* A program in one file, with names as nesC makes them: a component AppP, a timer that calls it, a queue that it calls.
 * Wrappers that only forward (AppC) belong to neither; one of AppP's own is inside. nesC's functions for members of
 * packets belong to their callers. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdbool.h>
#include <stdint.h>

static uint8_t QueueP__stored[4], QueueP__count;
static uint16_t AppP__sum, AppP__rounds;

static inline bool QueueP__Queue__put(const uint8_t *bytes, uint8_t length)
{
    for (uint8_t i = 0; i < length; i++)
        QueueP__stored[i % sizeof QueueP__stored] += bytes[i];
    return ++QueueP__count % 3 != 0;
}

static inline uint16_t QueueP__Queue__level(uint8_t slot)
{
    return QueueP__stored[slot & 3] << 4;
}

static inline bool AppC__Queue__put(const uint8_t *bytes, uint8_t length)
{
    return QueueP__Queue__put(bytes, length);
}

static inline uint16_t __nesc_ntoh_uint16(const void *source)
{
    const uint8_t *base = source;
    return (uint16_t)base[0] << 8 | base[1];
}

static inline void AppP__add(uint16_t more)
{
    AppP__sum += more + QueueP__count; /* variables of another component */
    AppP__sum ^= __nesc_ntoh_uint16(QueueP__stored + 1);
}

static __attribute__((noinline)) uint16_t AppP__Queue__level(uint8_t slot)
{
    return QueueP__Queue__level(slot);
}

static inline void AppP__Timer__fired(uint32_t now)
{
    uint8_t message[3] = {AppP__rounds, AppP__sum, now};
    if (AppC__Queue__put(message, sizeof message))
        AppP__add(AppP__Queue__level(AppP__rounds));
    AppP__rounds++;
}

static inline void TimerP__fire(uint32_t now)
{
    AppP__Timer__fired(now);
}

static volatile bool ticked;

ISR(TIMER1_COMPA_vect)
{
    ticked = true;
}

int main(void)
{
    OCR1A = 20000;
    TIMSK1 = 1 << OCIE1A;
    TCCR1B = 1 << WGM12 | 1 << CS11;
    set_sleep_mode(SLEEP_MODE_IDLE);
    for (uint32_t now = 0;;) {
        if (ticked && now < 100)
            TimerP__fire(now++ * 1000);
        ticked = false;
        cli();
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
}
