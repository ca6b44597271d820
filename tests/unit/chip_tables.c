/* Tables of chips: whole ones are accepted, and what one forgets is refused in words when the machine is built. */
#include "avr_bench.h"

#include "chip/avr/regions.h"
#include "chip/avr/timers.h"
#include "chip/chips.h"
#include "device/avr/port.h"
#include "device/avr/power.h"
#include "device/avr/watchdog.h"
#include "registers/atmega328p.h"

/* The sentence with which the chip is refused. */
static const char *refusal(const struct chip *chip)
{
    static struct motet_error e;
    static const char program[] = ":020000000000FE\n:00000001FF\n";
    struct image *image = image_parse("nothing.hex", program, sizeof program - 1, &e);
    assert_non_null(image);
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct machine *m = machine_new(chip, NULL, image, &options, &e);
    if (!m)
        return e.text;
    machine_free(m);
    return "";
}

static void the_chips_there_are_are_whole(void **state)
{
    (void)state;
    for (size_t i = 0; chips[i]; i++) {
        const char *said = refusal(chips[i]);
        if (!strstr(said, "boot configuration")) /* this firmware has none; the chip's table was looked at before */
            assert_string_equal(said, "");
    }
}

/* ---- the core ---- */

static struct chip with_core(const struct avr_core *core)
{
    struct chip chip = bench_avr5;
    chip.name = "broken";
    chip.core = core;
    return chip;
}

static void assert_core(struct avr_core core, const char *sentence)
{
    struct chip chip = with_core(&core);
    assert_string_equal(refusal(&chip), sentence);
}

static void a_core_that_forgets_something(void **state)
{
    (void)state;
    assert_core((struct avr_core){AVR_CORE_5, .vectors = 20}, "");
    assert_core((struct avr_core){.pc_bytes = 2, .vector_words = 2, .vectors = 20},
                "the table of broken is wrong: its core has no instructions (AVR_CORE_...)");
    assert_core((struct avr_core){.instructions = AVR_HAS_SPM, .pc_bytes = 2, .vectors = 20},
                "the table of broken is wrong: its core has no size of vectors");
    assert_core((struct avr_core){AVR_CORE_5}, "the table of broken is wrong: its core has no vectors (_VECTORS_SIZE)");
    struct chip none = with_core(NULL);
    assert_string_equal(refusal(&none), "the table of broken is wrong: its core has no instructions (AVR_CORE_...)");
}

static void a_core_that_contradicts_itself(void **state)
{
    (void)state;
    assert_core((struct avr_core){AVR_CORE_6, .vectors = 20},
                "the table of broken is wrong: 3 bytes of program counter for 32 KB of flash");
    assert_core((struct avr_core){.instructions = AVR_HAS_SPM, .pc_bytes = 2, .vector_words = 2, .vectors = 20},
                "the table of broken is wrong: vectors of two words on a core without JMP");
    assert_core((struct avr_core){AVR_CORE_5, .vectors = 8},
                "the table of broken is wrong: bench has interrupt 2, but there are 2 vectors");
    struct chip large = bench_avr51;
    large.name = "large";
    large.core = &bench_core_5;
    assert_string_equal(refusal(&large),
                        "the table of large is wrong: more than 64 KB of flash on a core without ELPM");
}

/* ---- devices ---- */

static const struct avr_plain plain[] = {{GPIOR0, 0xff, 0}};
static const struct avr_power power = {
    .sleep_enable = BIT(SMCR, SE),
    .sleep_mode = BITS(SMCR, SM0, 3),
    .reset_flags = MCUSR,
    AVR_SOURCES(avr_sources),
    .watchdog_hz_3v = 128000,
    .watchdog_hz = 128000,
    AVR_PLAIN(plain),
};
static const struct avr_watchdog watchdog = {.control = WDTCSR, .vector = WDT_vect_num, .shortest = 2048};
static const struct avr_port port_b = {
    .number = PORT_B, .mask = 0x0f, .pin = PINB, .ddr = DDRB, .port = PORTB, .pull_up_disable = BIT(MCUCR, PUD)};
static const struct timer_config timer0 = {TIMER_8(0, PIN(B, 1), PIN(B, 2)), TIMER_SYNCHRONOUS(PIN(B, 3))};

/* power, watchdog, a port and one more device; any of them can be left out */
static const char *refused(const struct chip_device *more, const struct chip_device *without)
{
    static const struct avr_core core = {AVR_CORE_5, .vectors = 26 * 4};
    static const struct chip_device whole[] = {
        {"power", &avr_power, &power}, {"watchdog", &avr_watchdog, &watchdog}, {"portb", &avr_port, &port_b}};
    struct chip_device devices[4];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        if (!without || strcmp(without->name, whole[i].name) != 0)
            devices[count++] = whole[i];
    if (more)
        devices[count++] = *more;
    struct chip chip = {.name = "broken",
                        .isa = &isa_avr,
                        .core = &core,
                        AVR_REGIONS(0x8000, 0x100, 0x800, 0x400),
                        .ports = "ABCD",
                        .default_hz = 1000000,
                        .devices = devices,
                        .device_count = count};
    return refusal(&chip);
}

static void assert_device(const struct device_type *type, const void *config, const char *sentence)
{
    struct chip_device d = {"broken one", type, config};
    assert_string_equal(refused(&d, NULL), sentence);
}

static void a_list_that_forgets_a_device(void **state)
{
    (void)state;
    assert_string_equal(refused(NULL, NULL), "");
    assert_string_equal(refused(NULL, &(struct chip_device){.name = "power"}),
                        "the table of broken is wrong: no device is there for SLEEP");
    assert_string_equal(refused(NULL, &(struct chip_device){.name = "watchdog"}),
                        "the table of broken is wrong: no device is there for WDR");
}

static void a_device_that_forgets_something(void **state)
{
    (void)state;
    assert_device(&avr_timer, &timer0, "");
    struct timer_config t = timer0;
    t.count = 0;
    assert_device(
        &avr_timer, &t,
        "the table of broken is wrong: broken one has a register at 0x0, but registers lie from 0x20 to 0xff");
    t = timer0;
    t.clock_pin = 0;
    assert_device(&avr_timer, &t,
                  "the table of broken is wrong: broken one has pin 0 of port A, which the chip does not have");
    t = timer0;
    t.interrupt[TIMER_OVERFLOW].vector = 0;
    assert_device(&avr_timer, &t, "the table of broken is wrong: broken one has an interrupt to enable but no vector");
    t = timer0;
    t.interrupt[TIMER_OVERFLOW].vector = 40;
    assert_device(&avr_timer, &t,
                  "the table of broken is wrong: broken one has interrupt 40, but there are 26 vectors");
    t = timer0;
    t.interrupt[TIMER_OVERFLOW].vector = WDT_vect_num;
    assert_device(&avr_timer, &t,
                  "the table of broken is wrong: broken one has interrupt 6, which watchdog has already");
    struct avr_watchdog second = watchdog;
    second.vector = 3;
    assert_device(&avr_watchdog, &second,
                  "the table of broken is wrong: broken one does the same for the CPU as watchdog");
    t = timer0;
    t.count = 0x180; /* RAM */
    assert_device(
        &avr_timer, &t,
        "the table of broken is wrong: broken one has a register at 0x180, but registers lie from 0x20 to 0xff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chips_there_are_are_whole),   cmocka_unit_test(a_core_that_forgets_something),
        cmocka_unit_test(a_core_that_contradicts_itself),  cmocka_unit_test(a_list_that_forgets_a_device),
        cmocka_unit_test(a_device_that_forgets_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
