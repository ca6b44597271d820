/* Random programs on Motet's core and on mspdebug's simulator: the same registers and memory must come out.
 *
 * usage: msp430-oracle MSPDEBUG FIRST_SEED COUNT
 * A program is a list of instructions, with jumps over single ones, on registers r6 to r15 and a window of RAM that is
 * reached through r4, r5, SP and by address; it ends at a breakpoint. Cycles are not compared: mspdebug charges
 * constants as memory. Left out, besides what the guide leaves undefined (tests/unit/msp430_opcodes.c): PUSH of
 * SP, @SP and x(SP), for which mspdebug uses the SP from before the push; V after DADD, and after RRC, where mspdebug
 * never sets it; bytes popped, by which mspdebug makes SP odd.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../unit/msp430_bench.h"
#include "../../unit/msp430_manual.h"

enum { WINDOW = 0x2000, WINDOW_SIZE = 0x400, LENGTH = 1000, FIRST_DATA = 6, BASES = 2 };

struct program {
    uint16_t words[LENGTH + 16], count, last; /* where the last instruction begins */
    uint16_t r[16];
    uint8_t window[WINDOW_SIZE];
};

static uint64_t seed;

static unsigned below(unsigned limit)
{
    return bench_random(&seed) % limit;
}

static uint16_t edge(void)
{
    static const uint16_t edges[] = {0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xff80, 0xffff};
    return below(2) ? (uint16_t)bench_random(&seed) : edges[below(10)];
}

static uint16_t address(void)
{
    return (uint16_t)(WINDOW + 2 * below(WINDOW_SIZE / 2));
}

static void emit(struct program *p, uint16_t word)
{
    p->words[p->count++] = word;
}

static uint16_t here(const struct program *p)
{
    return (uint16_t)(BENCH_FLASH + 2 * p->count);
}

/* A source: register field, As, and what extends it. Returns whether there is an extension word. */
struct operand {
    unsigned reg, mode;
    enum { NOTHING, ADDRESS, RELATIVE, OFFSET, NUMBER } extension;
};

static struct operand choose_source(void)
{
    unsigned base = below(4) ? 4 + below(BASES) : SP;
    switch (below(8)) {
    case 0: return (struct operand){FIRST_DATA + below(16 - FIRST_DATA), 0, NOTHING};
    case 1: return (struct operand){CG, below(4), NOTHING};
    case 2: return (struct operand){SR, 2 + below(2), NOTHING};
    case 3: return (struct operand){SR, 1, ADDRESS};
    case 4: return (struct operand){PC, 1, RELATIVE};
    case 5: return (struct operand){PC, 3, NUMBER};
    case 6: return (struct operand){base, 1, OFFSET};
    default: return (struct operand){base, 2 + below(2), NOTHING};
    }
}

static struct operand choose_destination(void)
{
    switch (below(5)) {
    case 0: return (struct operand){SR, 1, ADDRESS};
    case 1: return (struct operand){PC, 1, RELATIVE};
    case 2: return (struct operand){4 + below(BASES), 1, OFFSET};
    default: return (struct operand){FIRST_DATA + below(16 - FIRST_DATA), 0, NOTHING};
    }
}

static void emit_extension(struct program *p, struct operand o)
{
    switch (o.extension) {
    case NOTHING: break;
    case ADDRESS: emit(p, address()); break;
    case RELATIVE: emit(p, (uint16_t)(address() - here(p))); break;
    case OFFSET: emit(p, (uint16_t)(2 * below(32))); break;
    case NUMBER: emit(p, edge()); break;
    }
}

static void emit_clear_overflow(struct program *p)
{
    emit(p, 0xc032); /* bic #V, sr */
    emit(p, FLAG_V);
}

/* A base that has moved on by one byte goes back to an even address, where words are. */
static void emit_even(struct program *p, struct operand o, bool byte)
{
    if (byte && o.mode == 3 && (o.reg == 4 || o.reg == 5))
        emit(p, (uint16_t)(0xc310 | o.reg)); /* bic #1, rn */
}

static void emit_two_operands(struct program *p)
{
    struct operand s = choose_source(), d = choose_destination();
    unsigned opcode = 4 + below(12), byte = below(2);
    if (s.reg == SP && s.mode == 3)
        byte = 0;
    if (opcode == 10) /* DADD: only of numbers known to be decimal */
        s = (struct operand){CG, below(3), NOTHING}, opcode = 5;
    emit(p, (uint16_t)(opcode << 12 | s.reg << 8 | d.mode << 7 | byte << 6 | s.mode << 4 | d.reg));
    emit_extension(p, s);
    emit_extension(p, d);
    emit_even(p, s, byte);
}

static void emit_one_operand(struct program *p)
{
    unsigned what = below(5), byte = what % 2 == 0 && below(2);
    struct operand o = choose_source();
    while (what < 4 ? o.extension == NUMBER || o.reg == CG || (o.reg == SR && o.mode >= 2) : o.reg == SP)
        o = choose_source();
    if (o.reg == SP && o.mode == 3)
        byte = 0;
    emit(p, (uint16_t)(0x1000 | what << 7 | byte << 6 | o.mode << 4 | o.reg));
    emit_extension(p, o);
    emit_even(p, o, byte);
    if (what == 0)
        emit_clear_overflow(p);
}

static void emit_decimal(struct program *p)
{
    unsigned reg = FIRST_DATA + below(16 - FIRST_DATA), number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 4 | below(10);
    emit(p, (uint16_t)(0x4030 | reg)); /* mov #N, rd */
    emit(p, (uint16_t)number);
    emit(p, (uint16_t)(0xa000 | reg << 8 | below(2) << 6 | reg)); /* dadd rd, rd */
    emit_clear_overflow(p);
}

/* Bases go back to where they belong. */
static void emit_bases(struct program *p)
{
    for (unsigned i = 4; i < 4 + BASES; i++) {
        emit(p, (uint16_t)(0x4030 | i));
        emit(p, (uint16_t)(WINDOW + 2 * below(WINDOW_SIZE / 4)));
    }
    emit(p, 0x4031);
    emit(p, WINDOW + WINDOW_SIZE / 2);
}

static void emit_jump(struct program *p)
{
    uint16_t at = p->count;
    emit(p, 0);
    emit_two_operands(p);
    p->words[at] = (uint16_t)(0x2000 | below(8) << 10 | (p->count - at - 1u));
}

/* `limit` words at most; a shorter program is the beginning of a longer one. */
static void generate(struct program *p, unsigned number, unsigned limit)
{
    seed = number;
    memset(p, 0, sizeof *p);
    p->r[PC] = BENCH_FLASH;
    p->r[SP] = WINDOW + WINDOW_SIZE / 2;
    for (unsigned i = 4; i < 16; i++)
        p->r[i] = edge();
    for (unsigned i = 0; i < WINDOW_SIZE; i++)
        p->window[i] = (uint8_t)edge();
    for (unsigned i = 0; p->count < limit; i++) {
        unsigned kind = below(16);
        p->last = p->count;
        if (i % 16 == 0)
            emit_bases(p);
        else if (kind == 0)
            emit_decimal(p);
        else if (kind < 4)
            emit_jump(p);
        else if (kind < 8)
            emit_one_operand(p);
        else
            emit_two_operands(p);
    }
    emit(p, 0x3fff); /* jmp . */
}

struct outcome {
    uint16_t r[16];
    uint8_t window[WINDOW_SIZE];
};

static void run_motet(const struct program *p, struct outcome *out)
{
    uint8_t bytes[sizeof p->words];
    for (unsigned i = 0; i < p->count; i++) {
        bytes[2 * i] = (uint8_t)p->words[i];
        bytes[2 * i + 1] = (uint8_t)(p->words[i] >> 8);
    }
    struct node *n = bench_node(BENCH_FLASH, bytes, 2u * p->count);
    struct msp430_cpu *cpu = n->cpu;
    memcpy(cpu->r, p->r, sizeof cpu->r);
    memcpy(n->data + WINDOW, p->window, WINDOW_SIZE);
    node_run(n, 100000);
    memcpy(out->r, cpu->r, sizeof out->r);
    memcpy(out->window, n->data + WINDOW, WINDOW_SIZE);
    bench_free(n);
}

/* The program as commands for mspdebug; memory is written by `mw`, a row at a time. */
static void write_memory(FILE *f, unsigned at, const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i += 32) {
        fprintf(f, "mw 0x%04x", at + i);
        for (unsigned j = i; j < i + 32 && j < count; j++)
            fprintf(f, " 0x%02x", bytes[j]);
        fprintf(f, "\n");
    }
}

static void write_script(const struct program *p, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(2);
    }
    uint8_t bytes[sizeof p->words];
    for (unsigned i = 0; i < 2u * p->count; i++)
        bytes[i] = (uint8_t)(p->words[i / 2] >> 8 * (i % 2));
    write_memory(f, BENCH_FLASH, bytes, 2u * p->count);
    write_memory(f, WINDOW, p->window, WINDOW_SIZE);
    for (unsigned i = 0; i < 16; i++)
        if (i != CG)
            fprintf(f, "set %u 0x%04x\n", i, p->r[i]);
    fprintf(f, "setbreak 0x%04x\nrun\nregs\nmd 0x%04x %u\n", BENCH_FLASH + 2 * (p->count - 1), WINDOW, WINDOW_SIZE);
    fclose(f);
}

/* Registers come as ( R4: 01234), a row of memory as 02000: 11 22 ... |..|; the last of each counts. */
static void read_line(const char *line, struct outcome *out)
{
    static const char *const names[16] = {"PC", "SP", "SR",  "R3",  "R4",  "R5",  "R6",  "R7",
                                          "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"};
    unsigned at, value;
    char name[8];
    for (const char *s = line; (s = strchr(s, '(')); s++)
        if (sscanf(s, "( %7[A-Z0-9]: %x)", name, &value) == 2)
            for (unsigned i = 0; i < 16; i++)
                if (strcmp(name, names[i]) == 0)
                    out->r[i] = (uint16_t)value;
    int used;
    if (strchr(line, '|') && sscanf(line, " %x:%n", &at, &used) == 1 && at - WINDOW < WINDOW_SIZE)
        for (const char *s = line + used; at < WINDOW + WINDOW_SIZE && sscanf(s, " %2x%n", &value, &used) == 1; at++) {
            out->window[at - WINDOW] = (uint8_t)value;
            s += used;
        }
}

static void run_mspdebug(const struct program *p, const char *mspdebug, struct outcome *out)
{
    char script[] = "/tmp/motet-oracle-XXXXXX", command[512], line[512];
    int fd = mkstemp(script);
    if (fd < 0) {
        perror(script);
        exit(2);
    }
    close(fd);
    write_script(p, script);
    snprintf(command, sizeof command, "%s -q sim 'read %s' 2>&1", mspdebug, script);
    FILE *f = popen(command, "r");
    memset(out, 0, sizeof *out);
    while (f && fgets(line, sizeof line, f))
        read_line(line, out);
    if (!f || pclose(f) != 0) {
        fprintf(stderr, "%s did not run\n", command);
        exit(2);
    }
    unlink(script);
}

static bool agree(unsigned number, unsigned limit, const char *mspdebug, bool quiet)
{
    struct program p;
    struct outcome ours, theirs;
    generate(&p, number, limit);
    run_motet(&p, &ours);
    run_mspdebug(&p, mspdebug, &theirs);
    ours.r[CG] = theirs.r[CG];
    if (memcmp(&ours, &theirs, sizeof ours) == 0 || quiet)
        return memcmp(&ours, &theirs, sizeof ours) == 0;
    printf("seed %u, after", number);
    for (unsigned i = p.last; i + 1 < p.count; i++)
        printf(" %04x", p.words[i]);
    printf(" at 0x%04x:\n", BENCH_FLASH + 2 * p.last);
    for (unsigned i = 0; i < 16; i++)
        if (ours.r[i] != theirs.r[i])
            printf("r%u is 0x%04x, in mspdebug 0x%04x\n", i, ours.r[i], theirs.r[i]);
    for (unsigned i = 0; i < WINDOW_SIZE; i++)
        if (ours.window[i] != theirs.window[i])
            printf("0x%04x holds 0x%02x, in mspdebug 0x%02x\n", WINDOW + i, ours.window[i], theirs.window[i]);
    return false;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    unsigned first = (unsigned)atoi(argv[2]), count = (unsigned)atoi(argv[3]);
    const char *soak = getenv("MOTET_SOAK");
    count *= soak ? (unsigned)atoi(soak) : 1;
    for (unsigned i = first; i < first + count; i++)
        if (!agree(i, LENGTH, argv[1], true)) {
            for (unsigned limit = 1; agree(i, limit, argv[1], false) && limit < LENGTH; limit++)
                ;
            return 1;
        }
    return 0;
}
