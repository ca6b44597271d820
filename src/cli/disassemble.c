/* motet disassemble: program memory as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firmware.h"
#include "sentence.h"

struct disassemble_options {
    struct motet_options machine;
    const char *symbol;
    bool no_lines;
};

static bool set_function(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct disassemble_options *)into)->symbol = text;
    return true;
}

static bool set_no_lines(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct disassemble_options *)into)->no_lines = true;
}

static const struct option options[] = {
    FIRMWARE_BOARD,
    {"function", "NAME", "prints this function only", set_function},
    {"no-lines", NULL, "leaves out the lines of source", set_no_lines},
    {NULL, NULL, NULL, NULL},
};

static const char *cli_disassemble_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Where a jump or call goes, from its text: an address, or a distance from the next instruction (`.`) or this (`$`). */
static bool cli_disassemble_target_of(const struct motet_instruction *i, uint32_t at, uint32_t *target)
{
    static const char *const jumps[] = {"jmp ", "call ", "br "};
    const char *operand = strchr(i->text, ' '), *relative = operand ? strpbrk(operand, ".$") : NULL, *absolute = NULL;
    for (size_t k = 0; k < sizeof jumps / sizeof *jumps; k++)
        if (operand && strncmp(i->text, jumps[k], strlen(jumps[k])) == 0)
            absolute = strstr(operand, operand[1] == '#' ? "#0x" : " 0x");
    if (relative && (relative[1] == '+' || relative[1] == '-'))
        *target = at + (*relative == '.' ? i->size : 0) + (uint32_t)strtol(relative + 1, NULL, 10);
    else if (absolute)
        *target = (uint32_t)strtoul(absolute + 1, NULL, 16);
    else
        return false;
    return true;
}

static void print_instruction(const motet_machine *m, uint32_t at, const struct motet_instruction *i)
{
    uint32_t target;
    char place[256];
    char bytes[32] = "";
    for (unsigned k = 0; k < i->size; k++)
        snprintf(bytes + 3 * k, sizeof bytes - 3 * k, "%02x ", i->bytes[k]);
    if (cli_disassemble_target_of(i, at, &target) &&
        strncmp(motet_machine_place(m, target, place, sizeof place), "0x", 2) != 0)
        printf("%6" PRIx32 ":  %-13s%-20s ; %s\n", at, bytes, i->text, place);
    else
        printf("%6" PRIx32 ":  %-13s%s\n", at, bytes, i->text);
}

/* Sixteen bytes of data a line, up to the next label or the next code. Returns how many bytes there were. */
static uint32_t print_data(const motet_machine *m, uint32_t at, uint32_t end)
{
    struct motet_instruction i;
    uint32_t size = 0;
    printf("%6" PRIx32 ":  .byte", at);
    while (size < 16 && at + size < end && motet_machine_instruction(m, at + size, &i) && i.kind == MOTET_CODE_DATA &&
           (!size || !i.label)) {
        printf("%s0x%02x", size ? ", " : " ", i.bytes[0]);
        size++;
    }
    putchar('\n');
    return size;
}

static void print_range(const motet_machine *m, uint32_t at, uint32_t end, bool lines)
{
    struct motet_instruction i;
    const char *file = NULL;
    unsigned line = 0;
    bool first = true;
    for (; at < end && motet_machine_instruction(m, at, &i); at += i.size) {
        if (i.kind == MOTET_CODE_ERASED)
            continue;
        if (i.label)
            printf("%s%06" PRIx32 " <%s>:\n", first ? "" : "\n", at, i.label);
        first = false;
        if (i.kind == MOTET_CODE_DATA) {
            i.size = print_data(m, at, end);
            continue;
        }
        if (lines && i.file && (i.file != file || i.line != line))
            printf("; %s:%u\n", cli_disassemble_base_name(i.file), i.line);
        file = i.file;
        line = i.line;
        print_instruction(m, at, &i);
    }
}

static int cli_disassemble_run(const struct verb *v, int argc, char **argv)
{
    struct disassemble_options o = {.machine = MOTET_OPTIONS_DEFAULT};
    struct motet_error e = {""};
    const char *file;
    int status;
    if (!options_parse(v, argc, argv, &o, &file, 1, &status))
        return status;
    motet_machine *m = motet_machine_load(file, &o.machine, &e);
    if (!m)
        return complain("%s", e.text);
    struct motet_symbol function = {.address = 0, .size = UINT32_MAX};
    if (o.symbol && !firmware_find(m, o.symbol, false, &function)) {
        motet_machine_free(m);
        return STATUS_USAGE;
    }
    print_range(m, function.address, function.address + function.size, !o.no_lines);
    motet_machine_free(m);
    return 0;
}

extern const struct verb verb_disassemble;
const struct verb verb_disassemble = {
    .name = "disassemble",
    .operands = "FILE",
    .about = "print a firmware's instructions",
    .more = "Prints the program memory of a firmware as instructions, with its symbols and lines of source.",
    .options = options,
    .run = cli_disassemble_run,
};
