#include "rewrite/routines.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/routines_file.h"

static const char *const deed_words[DEEDS] = {
    [READS] = "reads a register", [FOLLOWS] = "reads through a pointer",      [WRITES] = "writes memory or a register",
    [LEAVES] = "leads elsewhere", [ENABLES] = "lets interrupts in",           [OWN_FRAME] = "works on the stack",
    [SLEEPS] = "sleeps",          [PROGRAMS] = "changes the program's memory"};

/* ---- places ---- */

void routines_place(const struct routines_file *f, size_t line, char *text, size_t size)
{
    unsigned number = (unsigned)line + 1;
    char name[200];
    snprintf(name, sizeof name, "%s", f->place);
    for (size_t i = line; i-- > 0;)
        if (sscanf(f->lines.list[i], "# %u \"%199[^\"]\"", &number, name) == 2) {
            number += (unsigned)(line - i - 1);
            break;
        }
    snprintf(text, size, "%.120s:%u", name, number);
}

static bool routines_refuse(struct routines_file *f, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool routines_refuse(struct routines_file *f, size_t line, const char *format, ...)
{
    char place[160], what[600];
    routines_place(f, line, place, sizeof place);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_set(f->e, "%s: %s", place, what);
}

static void warn(struct routines_file *f, size_t line, const char *routine)
{
    char place[160];
    routines_place(f, line, place, sizeof place);
    f->r->warnings = memory_resize(f->r->warnings, f->r->warning_count + 1, sizeof *f->r->warnings);
    f->r->warnings[f->r->warning_count++] = memory_format(
        "%s: warning: routine %s reads through a pointer in assembly: where it leads to a register, that is "
        "not recorded",
        place, routine);
}

/* ---- routines ---- */

static struct routine *current(struct routines_file *f)
{
    return &f->routines[f->count - 1];
}

static void routines_begin(struct routines_file *f, const char *name, size_t line, bool macro)
{
    if (f->count)
        current(f)->end = line;
    f->routines = memory_grow(f->routines, &f->room, f->count, sizeof *f->routines);
    f->routines[f->count] = (struct routine){.macro = macro, .first = line, .early = f->section == SECTION_EARLY};
    snprintf(f->routines[f->count++].name, ROUTINES_NAME, "%s", name);
}

static void does(struct routines_file *f, enum deed deed, size_t line, const char *what)
{
    struct routine *r = current(f);
    if (r->deeds[deed].line)
        return;
    r->deeds[deed].line = line + 1;
    snprintf(r->deeds[deed].what, sizeof r->deeds[deed].what, "%.39s", what);
}

static bool is_global(const struct routines_file *f, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < f->lines.count; i++) {
        const char *line = listing_trimmed(f->lines.list[i]);
        if (!listing_starts(line, ".global") && !listing_starts(line, ".globl"))
            continue;
        for (const char *at = line; (at = strstr(at, name)); at += n) {
            bool whole = !isalnum((unsigned char)at[n]) && at[n] != '_';
            if (whole && at > line && (isspace((unsigned char)at[-1]) || at[-1] == ','))
                return true;
        }
    }
    return false;
}

/* ---- instructions ---- */

/* Operand `number` of "r24, 0x3f". False if there is none. */
static bool routines_operand(const char *operands, unsigned number, char text[ROUTINES_NAME])
{
    int depth = 0;
    size_t n = 0;
    for (; *operands; operands++) {
        depth += *operands == '(' ? 1 : *operands == ')' ? -1 : 0;
        if (*operands == ',' && !depth) {
            if (!number--)
                break;
            n = 0;
        } else if (!number && n + 1 < ROUTINES_NAME && (n || !isspace((unsigned char)*operands))) {
            text[n++] = *operands;
        }
    }
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    text[n] = '\0';
    return number + 1 <= 1 && n > 0;
}

static bool routines_is_one_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

/* A read of the byte at a data address. */
static void reads_address(struct routines_file *f, int64_t address, size_t line)
{
    struct chip_register is;
    char name[40];
    if (address < 0 || address >= f->o->registers->limit)
        return;
    bool known = registers_covering(f->o->registers, (uint32_t)address, 1, &is);
    if (known && !is.bits)
        return;
    snprintf(name, sizeof name, "%s", known ? is.name : "");
    if (!known)
        snprintf(name, sizeof name, "the register at 0x%x", (unsigned)address);
    does(f, READS, line, name);
}

/* in, sbic, sbis: the operand is an I/O address. */
static void reads_port(struct routines_file *f, const char *text, size_t line)
{
    enum { RAMPZ = 0x3b, EIND, SPL, SPH, SREG, MAPPED = 0x20 };
    int64_t address;
    if (routines_is_one_of(text, "__SREG__ __RAMPZ__ __EIND__"))
        return;
    bool known = expression_value(&f->constants, text, &address);
    if (routines_is_one_of(text, "__SP_L__ __SP_H__") || (known && (address == SPL || address == SPH)))
        does(f, OWN_FRAME, line, text);
    else if (!known)
        does(f, READS, line, text);
    else if (address != SREG && address != RAMPZ && address != EIND)
        reads_address(f, address + MAPPED, line);
}

static void jumps(struct routines_file *f, const char *to, size_t line)
{
    if (to[0] == '.' && (!to[1] || to[1] == '+' || to[1] == '-' || isspace((unsigned char)to[1])))
        return; /* from here */
    size_t digits = strspn(to, "0123456789");
    if (digits && (to[digits] == 'b' || to[digits] == 'f') && !to[digits + 1])
        return;
    f->jumps = memory_grow(f->jumps, &f->jump_room, f->jump_count, sizeof *f->jumps);
    struct jump *j = &f->jumps[f->jump_count++];
    *j = (struct jump){.routine = f->count - 1, .line = line};
    snprintf(j->to, sizeof j->to, "%s", to);
}

static void writes_avr(struct routines_file *f, const char *word, const char *first, size_t line)
{
    enum { SPL = 0x3d };
    int64_t address;
    bool known = expression_value(&f->constants, first, &address);
    if (strcmp(word, "out") == 0 && (routines_is_one_of(first, "__SREG__ __SP_L__ __SP_H__ __RAMPZ__ __EIND__") ||
                                     (known && address >= SPL - 2 && address <= SPL + 2)))
        return; /* the CPU's own */
    does(f, WRITES, line, first);
}

static void routines_avr_instruction(struct routines_file *f, const char *word, const char *operands, size_t line)
{
    char first[ROUTINES_NAME] = "", second[ROUTINES_NAME] = "";
    int64_t address = 0;
    routines_operand(operands, 0, first);
    routines_operand(operands, 1, second);
    if (routines_is_one_of(word, "in"))
        reads_port(f, second, line);
    else if (routines_is_one_of(word, "sbic sbis"))
        reads_port(f, first, line);
    else if (strcmp(word, "lds") == 0 && (strchr(second, '\\') || expression_value(&f->constants, second, &address)))
        strchr(second, '\\') ? does(f, READS, line, second) : reads_address(f, address, line);
    else if (routines_is_one_of(word, "ld ldd lac las lat xch"))
        does(f, FOLLOWS, line, word);
    else if (routines_is_one_of(word, "sts st std out sbi cbi"))
        writes_avr(f, word, first, line);
    else if (routines_is_one_of(word, "call rcall icall eicall ijmp eijmp"))
        does(f, LEAVES, line, word);
    else if (routines_is_one_of(word, "rjmp jmp") || listing_starts(word, "br"))
        jumps(f, routines_is_one_of(word, "brbs brbc") ? second : first, line);
    else if (strcmp(word, "sei") == 0 || strcmp(word, "bset") == 0)
        does(f, ENABLES, line, word);
    else if (strcmp(word, "sleep") == 0)
        does(f, SLEEPS, line, word);
    else if (strcmp(word, "spm") == 0)
        does(f, PROGRAMS, line, word);
    current(f)->ends = routines_is_one_of(word, "ret reti rjmp jmp ijmp eijmp");
}

/* Of two operands the second is read too, but by mov. */
static void routines_msp430_instruction(struct routines_file *f, const char *word, const char *operands, size_t line)
{
    char text[ROUTINES_NAME];
    int64_t address;
    bool moves = listing_starts(word, "mov");
    if (word[0] == 'j' || listing_starts(word, "br") || listing_starts(word, "call"))
        return;
    for (unsigned i = 0; i < (moves ? 1 : 2) && routines_operand(operands, i, text); i++) {
        if (text[0] == '&' && (strchr(text, '\\') || !expression_value(&f->constants, text + 1, &address))) {
            if (strchr(text, '\\'))
                does(f, READS, line, text);
        } else if (text[0] == '&') {
            reads_address(f, address, line);
        } else if (text[0] == '@' || (text[0] != '#' && strchr(text, '('))) {
            if (!strstr(text, "r1)") && !strstr(text, "@r1+") && strcmp(text, "@r1") != 0 && !strstr(text, "sp"))
                does(f, FOLLOWS, line, text);
        }
    }
    if (routines_is_one_of(word, "bis bis.w") && (strstr(operands, "sr") || strstr(operands, "r2")))
        does(f, SLEEPS, line, word);
}

/* ---- lines ---- */

static void take_section(struct routines_file *f, const char *name)
{
    f->section = listing_starts(name, ".text") || listing_starts(name, ".progmem") || listing_starts(name, ".lowtext")
                     ? SECTION_TEXT
                 : listing_starts(name, ".init") ? SECTION_EARLY
                                                 : SECTION_OTHER;
}

static bool directive(struct routines_file *f, const char *text, size_t line)
{
    char word[ROUTINES_NAME], first[ROUTINES_NAME] = "", second[ROUTINES_NAME] = "";
    int64_t value;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " \t"), text);
    const char *rest = listing_trimmed(text + strlen(word));
    routines_operand(rest, 0, first);
    routines_operand(rest, 1, second);
    if (strcmp(word, ".include") == 0)
        return routines_refuse(f, line, "the file of .include is not read; use #include, in a file .S");
    if (!f->avr && listing_starts(first, "__interrupt_vector"))
        return routines_refuse(f, line, "a handler in assembly cannot be recorded on this chip; write it in C");
    if (strcmp(word, ".text") == 0)
        take_section(f, ".text");
    else if (strcmp(word, ".data") == 0 || strcmp(word, ".bss") == 0)
        take_section(f, word);
    else if (strcmp(word, ".section") == 0 || strcmp(word, ".pushsection") == 0)
        take_section(f, first + (first[0] == '"'));
    else if (strcmp(word, ".equ") == 0 || strcmp(word, ".set") == 0 || strcmp(word, ".equiv") == 0) {
        if (expression_value(&f->constants, second, &value))
            constants_define(&f->constants, first, strlen(first), value);
    } else if (strcmp(word, ".macro") == 0) {
        char name[ROUTINES_NAME];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(first, " \t"), first);
        routines_begin(f, name, line, true);
    } else if (strcmp(word, ".endm") == 0 && current(f)->macro) {
        routines_begin(f, "", line,
                       false); /* in the midst of a routine: what follows is none that can be taken as a whole */
    }
    return true;
}

/* A macro of the file does what its instructions do. */
static bool expands(struct routines_file *f, const char *word, size_t line)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->routines[i].macro && strcmp(f->routines[i].name, word) == 0) {
            struct routine macro = f->routines[i];
            for (unsigned k = 0; k < DEEDS; k++)
                if (macro.deeds[k].line)
                    does(f, (enum deed)k, line, macro.deeds[k].what);
            current(f)->ends = macro.ends;
            return true;
        }
    return false;
}

static void take_label(struct routines_file *f, const char *name, size_t line)
{
    if (f->section != SECTION_OTHER && is_global(f, name))
        routines_begin(f, name, line, false);
    f->labels = memory_grow(f->labels, &f->label_room, f->label_count, sizeof *f->labels);
    f->labels[f->label_count].routine = f->count - 1;
    snprintf(f->labels[f->label_count++].name, ROUTINES_NAME, "%s", name);
}

static bool statement(struct routines_file *f, const char *text, size_t line)
{
    char word[ROUTINES_NAME];
    text = listing_trimmed(text);
    size_t n = strcspn(text, " \t:=(");
    snprintf(word, sizeof word, "%.*s", (int)n, text);
    if (n && text[n] == ':') {
        take_label(f, word, line);
        return statement(f, text + n + 1, line);
    }
    const char *rest = listing_trimmed(text + n);
    int64_t value;
    if (n && *rest == '=') {
        if (expression_value(&f->constants, rest + 1, &value))
            constants_define(&f->constants, word, n, value);
        return true;
    }
    if (!n || word[0] == '#')
        return true;
    if (word[0] == '.')
        return directive(f, text, line);
    if (f->section == SECTION_OTHER || expands(f, word, line))
        return true;
    for (char *c = word; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    (f->avr ? routines_avr_instruction : routines_msp430_instruction)(f, word, rest, line);
    return true;
}

/* Comments go to the end of the line, or over several. */
static bool take_line(struct routines_file *f, size_t line, bool *comment)
{
    char text[1024], *rest = text;
    size_t n = 0;
    const char *at = f->lines.list[line];
    if (*at == '#')
        return true;
    for (; *at && n + 1 < sizeof text; at++) {
        if (*comment) {
            *comment = !(at[0] == '*' && at[1] == '/');
            at += !*comment;
        } else if (at[0] == '/' && at[1] == '*') {
            *comment = true;
            at++;
        } else if (*at == ';' || (at[0] == '/' && at[1] == '/')) {
            break;
        } else {
            text[n++] = *at;
        }
    }
    text[n] = '\0';
    for (char *one; (one = strsep(&rest, "$"));)
        if (!statement(f, one, line))
            return false;
    return true;
}

/* ---- judging ---- */

bool routines_vector(const struct routine *r, unsigned *vector)
{
    return sscanf(r->name, "__vector_%u", vector) == 1;
}

static void find_ways_out(struct routines_file *f)
{
    for (size_t i = 0; i < f->jump_count; i++) {
        const struct jump *j = &f->jumps[i];
        struct routine *r = &f->routines[j->routine];
        bool within = false;
        for (size_t k = 0; k < f->label_count; k++)
            within |= f->labels[k].routine == j->routine && strcmp(f->labels[k].name, j->to) == 0;
        if (!within && !r->deeds[LEAVES].line) {
            r->deeds[LEAVES].line = j->line + 1;
            snprintf(r->deeds[LEAVES].what, sizeof r->deeds[LEAVES].what, "%.39s", j->to);
        }
    }
}

/* Why the routine cannot be taken as a whole; DEEDS: it can. */
static enum deed routines_hindrance(const struct routine *r)
{
    static const enum deed list[] = {WRITES, LEAVES, ENABLES, OWN_FRAME};
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
        if (r->deeds[list[i]].line)
            return list[i];
    return DEEDS;
}

bool routines_is_whole(const struct routines_file *f, const struct routine *r)
{
    unsigned vector;
    return f->avr && !r->macro && r->name[0] && r->ends && !r->early && !routines_vector(r, &vector) &&
           routines_hindrance(r) == DEEDS && (r->deeds[READS].line || r->deeds[FOLLOWS].line);
}

static bool routines_judge(struct routines_file *f, const struct routine *r)
{
    if (r->macro)
        return true;
    if (r->deeds[SLEEPS].line)
        return routines_refuse(
            f, r->deeds[SLEEPS].line - 1,
            "routine %s sleeps in assembly, where the recorder cannot do its work before; write that in C", r->name);
    if (r->deeds[PROGRAMS].line)
        return routines_refuse(
            f, r->deeds[PROGRAMS].line - 1,
            "routine %s changes program memory; what is there after the next start is not recorded, so this "
            "cannot be replayed",
            r->name);
    if (routines_is_whole(f, r) && f->o->stamp)
        return routines_refuse(
            f, r->deeds[r->deeds[READS].line ? READS : FOLLOWS].line - 1,
            "routine %s %s in assembly, and is recorded as a whole: how long it takes, stamps cannot tell; "
            "record without --stamp",
            r->name, deed_words[r->deeds[READS].line ? READS : FOLLOWS]);
    if (routines_is_whole(f, r))
        return true;
    enum deed hinders = routines_hindrance(r);
    if (r->deeds[READS].line)
        return routines_refuse(
            f, r->deeds[READS].line - 1,
            "routine %s reads %s in assembly, which cannot be recorded here%s%s; read it in C, and give the "
            "routine its value",
            r->name, r->deeds[READS].what, hinders < DEEDS ? ", since it also " : "",
            hinders < DEEDS ? deed_words[hinders] : "");
    if (r->deeds[FOLLOWS].line)
        warn(f, r->deeds[FOLLOWS].line - 1, r->name);
    return true;
}

bool routines_rewrite(const char *path, const char *place, const struct instrument_options *o, struct instrumented *r,
                      struct motet_error *e)
{
    *r = (struct instrumented){0};
    struct routines_file f = {.o = o, .r = r, .e = e, .place = place, .avr = strcmp(o->target, "avr") == 0};
    if (!listing_read(&f.lines, path, e))
        return false;
    routines_begin(&f, "", 0, false);
    bool good = true, comment = false;
    for (size_t i = 0; good && i < f.lines.count; i++)
        good = take_line(&f, i, &comment);
    current(&f)->end = f.lines.count;
    find_ways_out(&f);
    for (unsigned i = 0; good && i < f.count; i++)
        good = routines_judge(&f, &f.routines[i]);
    if (good) {
        r->functions = f.count - 1;
        routines_write(&f);
    } else {
        instrumented_free(r);
    }
    listing_free(&f.lines);
    constants_free(&f.constants);
    free(f.routines);
    free(f.jumps);
    free(f.labels);
    return good;
}
