#include "simavr.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include <sim_avr.h>
#include <sim_elf.h>

struct simavr {
    avr_t *avr;
};

/* Opened at run time, so that simavr's names and Motet's cannot take each other's place. */
static struct {
    void *library;
    __typeof__(elf_read_firmware) *read_firmware;
    __typeof__(avr_load_firmware) *load_firmware;
    __typeof__(avr_make_mcu_by_name) *make_mcu_by_name;
    __typeof__(avr_init) *init;
    __typeof__(avr_run) *run;
    __typeof__(avr_terminate) *terminate;
    __typeof__(avr_global_logger_set) *global_logger_set;
} simavr;

static bool find(void *function, const char *name)
{
    void *found = dlsym(simavr.library, name);
    memcpy(function, &found, sizeof found);
    return found || bench_wrong("%s has no %s", SIMAVR_LIBRARY, name);
}

static bool open_library(void)
{
    if (simavr.library)
        return true;
    simavr.library = dlopen(SIMAVR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!simavr.library)
        return bench_wrong("%s", dlerror());
    return find(&simavr.read_firmware, "elf_read_firmware") && find(&simavr.load_firmware, "avr_load_firmware") &&
           find(&simavr.make_mcu_by_name, "avr_make_mcu_by_name") && find(&simavr.init, "avr_init") &&
           find(&simavr.run, "avr_run") && find(&simavr.terminate, "avr_terminate") &&
           find(&simavr.global_logger_set, "avr_global_logger_set");
}

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
    if (!open_library())
        return NULL;
    simavr.global_logger_set(say_nothing);
    elf_firmware_t firmware = {0};
    if (simavr.read_firmware(elf, &firmware) != 0)
        return NULL;
    /* Our firmwares carry no .mmcu section, by which simavr would know these. */
    strncpy(firmware.mmcu, chip, sizeof firmware.mmcu - 1);
    firmware.frequency = frequency;
    avr_t *avr = simavr.make_mcu_by_name(chip);
    if (!avr)
        return NULL;
    simavr.init(avr);
    avr->log = LOG_NONE;
    simavr.load_firmware(avr, &firmware);
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
        int state = simavr.run(s->avr);
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
    simavr.terminate(s->avr);
    free(s->avr);
    free(s);
}
