/* Each node samples its accelerometer at 100 Hz for a second, transforms the samples (FFT), sends what is strongest in
 * them to the root, node 0, and begins again. A packet at the host is: origin, number of the report, frequency in
 * hundredths of Hz, amplitude in steps of the converter, each of 16 bits. LED 2 is lit while the ground shakes. */
#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "collection.h"
#include "host.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

#define RATE    100 /* Hz */
#define SAMPLES 100
#define BITS    7
#define POINTS  (1 << BITS) /* the samples, then zeros */
#define SHIFT   (14 - SENSOR_BITS)
#define PERIOD  ((TICKS_PER_SECOND + RATE / 2) / RATE)
#define SHAKES  ((1 << SENSOR_BITS) / 50)

static int16_t real[POINTS], imaginary[POINTS];
static uint8_t count, stage;
static uint16_t reports;

/* ---- the transform: in place, by one task for each of the BITS stages, each of which halves all so that nothing
 * overflows ---- */

/* 32767 times the sine of the angle of which POINTS make a circle. */
static int16_t sine(uint8_t angle)
{
    static const int16_t quarter[POINTS / 4 + 1] = {0,     1608,  3212,  4808,  6393,  7962,  9512,  11039, 12539,
                                                    14010, 15446, 16846, 18204, 19519, 20787, 22005, 23170, 24279,
                                                    25329, 26319, 27245, 28105, 28898, 29621, 30273, 30852, 31356,
                                                    31785, 32137, 32412, 32609, 32728, 32767};
    uint8_t within = angle % (POINTS / 2);
    int16_t value = quarter[within > POINTS / 4 ? POINTS / 2 - within : within];
    return angle % POINTS >= POINTS / 2 ? -value : value;
}

static int16_t times(int16_t a, int16_t b)
{
    return (int32_t)a * b >> 15;
}

static void butterfly(uint8_t a, uint8_t b, uint8_t angle)
{
    int16_t c = sine(angle + POINTS / 4), s = -sine(angle);
    int16_t re = times(real[b], c) - times(imaginary[b], s), im = times(real[b], s) + times(imaginary[b], c);
    real[b] = (real[a] >> 1) - (re >> 1);
    imaginary[b] = (imaginary[a] >> 1) - (im >> 1);
    real[a] = (real[a] >> 1) + (re >> 1);
    imaginary[a] = (imaginary[a] >> 1) + (im >> 1);
}

static uint8_t reversed(uint8_t i)
{
    uint8_t r = 0;
    for (uint8_t bit = 0; bit < BITS; bit++)
        r |= (i >> bit & 1) << (BITS - 1 - bit);
    return r;
}

/* Centred round 0, as large as fits, and in the order of reversed bits. */
static void prepare(void)
{
    int32_t sum = 0;
    for (uint8_t i = 0; i < SAMPLES; i++)
        sum += real[i];
    for (uint8_t i = 0; i < POINTS; i++) {
        real[i] = i < SAMPLES ? (real[i] - (int16_t)(sum / SAMPLES)) * (1 << SHIFT) : 0;
        imaginary[i] = 0;
    }
    for (uint8_t i = 0; i < POINTS; i++) {
        uint8_t j = reversed(i);
        if (i < j) {
            int16_t swap = real[i];
            real[i] = real[j];
            real[j] = swap;
        }
    }
}

static void report(void);

static void transform(void);
static struct task transform_task = {.run = transform};

static void transform(void)
{
    if (stage == 0)
        prepare();
    uint8_t half = 1 << stage;
    for (uint8_t first = 0; first < POINTS; first += 2 * half)
        for (uint8_t i = 0; i < half; i++)
            butterfly(first + i, first + i + half, i << (BITS - 1 - stage));
    if (++stage < BITS) {
        task_post(&transform_task);
    } else {
        stage = 0;
        report();
    }
}

/* ---- what it says ---- */

static uint16_t root_of(uint32_t square)
{
    uint16_t root = 0;
    for (uint16_t bit = 0x8000; bit; bit >>= 1)
        if ((uint32_t)(root | bit) * (root | bit) <= square)
            root |= bit;
    return root;
}

static void report(void)
{
    uint8_t strongest = 1;
    uint32_t most = 0;
    for (uint8_t i = 1; i < POINTS / 2; i++) {
        uint32_t square = (int32_t)real[i] * real[i] + (int32_t)imaginary[i] * imaginary[i];
        if (square > most) {
            most = square;
            strongest = i;
        }
    }
    uint16_t frequency = (uint32_t)strongest * (100 * TICKS_PER_SECOND / PERIOD) / POINTS;
    uint16_t amplitude = (uint32_t)root_of(most) * POINTS * 2 / SAMPLES >> SHIFT;
    uint8_t bytes[6];
    bytes_put16(bytes_put16(bytes_put16(bytes, reports++), frequency), amplitude);
    collection_send(bytes, sizeof bytes);
    leds_set(amplitude >= SHAKES ? LED_2 : 0);
    count = 0;
}

/* ---- sampling ---- */

static void sampled(struct adc_request *r, uint16_t value)
{
    (void)r;
    real[count++] = value;
    if (count == SAMPLES)
        task_post(&transform_task);
}

static struct adc_request acceleration = {.done = sampled, .channel = SENSOR_X};

static void sample(struct timer *t)
{
    (void)t;
    if (count < SAMPLES)
        adc_read(&acceleration);
}

static struct timer timer = {.fired = sample};

void app_start(void)
{
    bool root = node_id == 0;
    radio_start();
    if (root)
        host_start();
    collection_start(root, host_pass);
    timer_every(&timer, PERIOD);
}
