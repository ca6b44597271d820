#include "rewrite/assembly.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The template: all string literals before the first colon, with \n and \t made what they mean. */
static size_t template_of(const char *text, size_t size, char *out, size_t room)
{
    size_t n = 0;
    bool inside = false;
    for (size_t i = 0; i < size && n + 1 < room; i++) {
        char c = text[i];
        if (!inside && c == ':')
            break;
        if (c == '"') {
            inside = !inside;
        } else if (inside && c == '\\' && i + 1 < size) {
            c = text[++i];
            out[n++] = (char)(c == 'n' ? '\n' : c == 't' ? ' ' : c);
        } else if (inside) {
            out[n++] = c;
        }
    }
    out[n] = '\0';
    return n;
}

static bool assembly_is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* ---- AVR ---- */

static bool avr_harmless_register(const char *operands)
{
    static const char *const names[] = {"__SREG__", "__SP_L__", "__SP_H__", "__RAMPZ__", "0x3f", "0x3d",
                                        "0x3e",     "63",       "61",       "62",        NULL};
    const char *comma = strchr(operands, ',');
    if (!comma)
        return false;
    comma += 1 + strspn(comma + 1, " ");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(comma, " \n"), comma);
    return assembly_is_one_of(name, names);
}

/* lds r24, ticks: a name is that of a variable, registers have numbers. */
static bool avr_variable(const char *word, const char *operands)
{
    const char *comma = strchr(operands, ',');
    if (strcmp(word, "lds") != 0 || !comma)
        return false;
    comma += 1 + strspn(comma + 1, " ");
    return isalpha((unsigned char)*comma) || *comma == '_';
}

static void assembly_avr_instruction(const char *word, const char *operands, struct assembly *a)
{
    static const char *const readers[] = {"lds", "ld", "ldd", "in", "sbis", "sbic", "spm", NULL};
    if (strcmp(word, "sleep") == 0)
        a->sleeps = true;
    else if (strcmp(word, "sei") == 0)
        a->enables = true;
    else if (strcmp(word, "reti") == 0)
        a->returns = true;
    else if (strcmp(word, "out") == 0 || strcmp(word, "sts") == 0 || strcmp(word, "bset") == 0)
        a->sets_flags = true; /* where it writes is not looked at */
    else if (strcmp(word, "call") == 0 || strcmp(word, "rcall") == 0 || strcmp(word, "icall") == 0)
        snprintf(a->calls, sizeof a->calls, "%.*s", (int)strcspn(operands, " \n"), operands);
    else if (assembly_is_one_of(word, readers) && !(strcmp(word, "in") == 0 && avr_harmless_register(operands)) &&
             !avr_variable(word, operands)) {
        a->reads = true;
        snprintf(a->reader, sizeof a->reader, "%s", word);
    }
}

/* ---- MSP430 ---- */

/* Whether a name is the stack pointer's, or any register's; it ends where the name of one would. */
static bool msp430_is_stack(const char *name)
{
    size_t n = strncmp(name, "r1", 2) == 0 || strncmp(name, "sp", 2) == 0 ? 2 : 0;
    return n && !isalnum((unsigned char)name[n]);
}

static bool msp430_is_register(const char *name)
{
    size_t n = name[0] == 'r' ? 1 + strspn(name + 1, "0123456789") : 0;
    return (n > 1 && !isalnum((unsigned char)name[n])) || msp430_is_stack(name) || strncmp(name, "sr", 2) == 0 ||
           strncmp(name, "pc", 2) == 0;
}

/* Memory that is not the stack: &0x170, @r12, 2(r15), or a number or name alone, which is relative to the PC. Of what
 * the compiler puts there (%0) it is known elsewhere. */
static bool msp430_is_memory(const char *operand)
{
    const char *index = strchr(operand, '('), *comma = strchr(operand, ',');
    if (*operand == '#' || *operand == '%' || *operand == '\0' || *operand == '\n')
        return false;
    if (*operand == '@')
        return !msp430_is_stack(operand + 1);
    if (index && (!comma || index < comma))
        return !msp430_is_stack(index + 1);
    return !msp430_is_register(operand);
}

static bool msp430_reads(const char *operands)
{
    char lower[128];
    size_t n = strcspn(operands, "\n;");
    snprintf(lower, sizeof lower, "%.*s", (int)n, operands);
    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    const char *comma = strchr(lower, ',');
    return msp430_is_memory(lower) || (comma && msp430_is_memory(comma + 1 + strspn(comma + 1, " ")));
}

static void assembly_msp430_instruction(const char *word, const char *operands, struct assembly *a)
{
    static const char *const flow[] = {"call", "jmp", "jz",  "jnz", "jc",   "jnc", "jn",
                                       "jge",  "jl",  "jeq", "jne", "push", "pop", NULL};
    bool status = strstr(operands, "r2") || strstr(operands, "SR") || strstr(operands, "sr");
    if (strcmp(word, "bis") == 0 && status)
        a->sleeps = a->enables = true; /* its operand says; allowed for */
    else if (strcmp(word, "eint") == 0)
        a->enables = true;
    else if (status && strchr(operands, ',') && strstr(strchr(operands, ','), "r2"))
        a->sets_flags = strcmp(word, "bic") != 0;
    else if (strcmp(word, "reti") == 0)
        a->returns = true;
    else if (strcmp(word, "call") == 0)
        snprintf(a->calls, sizeof a->calls, "%.*s", (int)strcspn(operands + (*operands == '#'), " \n"),
                 operands + (*operands == '#'));
    else if (!assembly_is_one_of(word, flow) && msp430_reads(operands)) {
        a->reads = true;
        snprintf(a->reader, sizeof a->reader, "%s", word);
    }
}

/* ---- both ---- */

/* Numeric labels are jumped back to with a b, named ones are taken as loops. */
static bool jumps_back(const char *word, const char *operands)
{
    if (word[0] != 'b' && word[0] != 'j' && strcmp(word, "rjmp") != 0)
        return false;
    size_t digits = strspn(operands, "0123456789");
    if (digits)
        return operands[digits] == 'b';
    return operands[0] == '.' ? operands[1] == '-' : isalpha((unsigned char)operands[0]) || operands[0] == '_';
}

static void line(const char *text, bool avr, struct assembly *a)
{
    char word[32];
    while (*text == ' ')
        text++;
    size_t n = strcspn(text, " \n:");
    if (text[n] == ':') { /* a label */
        line(text + n + 1, avr, a);
        return;
    }
    if (n == 0 || n >= sizeof word || text[0] == '.')
        return;
    for (size_t i = 0; i < n; i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    word[n] = '\0';
    const char *operands = text + n + strspn(text + n, " ");
    a->loops |= jumps_back(word, operands);
    if (avr)
        assembly_avr_instruction(word, operands, a);
    else
        assembly_msp430_instruction(word, operands, a);
}

void assembly_look(const char *text, size_t size, const char *target, struct assembly *a)
{
    *a = (struct assembly){0};
    char *body = memory_bytes(size + 1);
    template_of(text, size, body, size + 1);
    char *rest = body;
    for (char *one; (one = strsep(&rest, "\n;")) != NULL;)
        line(one, strcmp(target, "avr") == 0, a);
    free(body);
}
