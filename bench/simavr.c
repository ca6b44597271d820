#include "simavr.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <sim_avr.h>
#include <sim_elf.h>

struct simavr {
    avr_t *avr;
};

static void say_nothing(avr_t *avr, const int level, const char *format, va_list args)
{
    (void)avr, (void)level, (void)format, (void)args;
}

static void wait_for_nothing(avr_t *avr, avr_cycle_count_t how_long)
{
    (void)avr, (void)how_long;
}

struct simavr *simavr_new(const char *elf, const char *chip, uint32_t frequency)
{
    avr_global_logger_set(say_nothing);
    elf_firmware_t firmware = {0};
    if (elf_read_firmware(elf, &firmware) != 0)
        return NULL;
    /* Our firmwares carry no .mmcu section, by which simavr would know these. */
    strncpy(firmware.mmcu, chip, sizeof firmware.mmcu - 1);
    firmware.frequency = frequency;
    avr_t *avr = avr_make_mcu_by_name(chip);
    if (!avr)
        return NULL;
    avr_init(avr);
    avr->log = LOG_NONE;
    avr_load_firmware(avr, &firmware);
    avr->sleep = wait_for_nothing;
    struct simavr *s = malloc(sizeof *s);
    if (!s)
        abort();
    s->avr = avr;
    return s;
}

uint64_t simavr_run_until(struct simavr *s, uint64_t cycle)
{
    while (s->avr->cycle < cycle) {
        int state = avr_run(s->avr);
        if (state == cpu_Done || state == cpu_Crashed)
            return 0;
    }
    return s->avr->cycle;
}

const uint8_t *simavr_data(const struct simavr *s)
{
    return s->avr->data;
}

void simavr_free(struct simavr *s)
{
    if (!s)
        return;
    avr_terminate(s->avr);
    free(s->avr);
    free(s);
}
