/* motet info: what a firmware is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "firmware.h"
#include "sentence.h"

struct info_options {
    struct motet_options machine;
    bool symbols;
};

static bool set_symbols(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct info_options *)into)->symbols = true;
}

static const struct option options[] = {
    FIRMWARE_BOARD,
    {"symbols", NULL, "lists the symbols: address, size, kind and name", set_symbols},
    {NULL, NULL, NULL, NULL},
};

static void print_memory(const char *name, uint32_t used, uint32_t size)
{
    printf("%-15s %" PRIu32 " of %" PRIu32 " bytes (%.1f%%)\n", name, used, size, 100.0 * used / size);
}

static void print_firmware(const char *file, const motet_machine *m)
{
    struct motet_firmware f;
    motet_machine_firmware(m, &f);
    printf("%-15s %s\n", "firmware", file);
    printf("%-15s %s\n", "built for", f.built_for ? f.built_for : "(the file does not say)");
    printf("%-15s %s, %s at %g MHz\n", "board", motet_machine_board(m), motet_machine_chip(m),
           (double)motet_machine_cpu_hz(m) / 1e6);
    print_memory("program memory", f.flash_used, f.flash_size);
    if (f.ram_used_by)
        print_memory("variables", f.ram_used, f.ram_size);
    else
        printf("%-15s (the file does not say)\n", "variables");
    if (!f.ram_used_by)
        printf("%-15s off: a stack that overruns variables is not noticed\n", "stack check");
    else if (strcmp(f.ram_used_by, "symbols") != 0)
        printf("%-15s where variables end is known by the %s\n", "stack check", f.ram_used_by);
    if (f.has_fuses)
        printf("%-15s extended 0x%02x, high 0x%02x, low 0x%02x, lock 0x%02x\n", "fuses", f.fuses[0], f.fuses[1],
               f.fuses[2], f.lock);
}

static void print_symbols(const motet_machine *m)
{
    static const char *const kinds[] = {"label", "function", "variable"};
    struct motet_symbol s;
    for (size_t i = 0; motet_machine_symbol(m, i, &s); i++)
        printf("%06" PRIx32 " %6" PRIu32 " %-8s %s\n", s.address, s.size, kinds[s.kind], s.name);
}

static int info_run(const struct verb *v, int argc, char **argv)
{
    struct info_options o = {.machine = MOTET_OPTIONS_DEFAULT};
    struct motet_error e = {""};
    const char *file;
    int status;
    if (!options_parse(v, argc, argv, &o, &file, 1, &status))
        return status;
    motet_machine *m = motet_machine_load(file, &o.machine, &e);
    if (!m)
        return complain("%s", e.text);
    if (o.symbols)
        print_symbols(m);
    else
        print_firmware(file, m);
    motet_machine_free(m);
    return 0;
}

extern const struct verb verb_info;
const struct verb verb_info = {
    .name = "info",
    .operands = "FILE",
    .about = "describe a firmware",
    .more = "Prints the chip a firmware was built for, how much of the chip it takes, and the fuses with which it "
            "would run.",
    .options = options,
    .run = info_run,
};
