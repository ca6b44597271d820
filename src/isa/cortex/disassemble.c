#include "isa/cortex/disassemble.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "isa/cortex/code.h"

/* Without its surroundings an instruction is not known to follow an IT: it is shown as it is outside of one. */

static const char *const cortex_text_names[] = {
#define X(name) #name,
    CORTEX_OPERATIONS(X)
#undef X
};

static const char *const cortex_text_registers[16] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
                                                      "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"};
#define REG(number) cortex_text_registers[(number)&15]

static const char *const cortex_text_shifts[5] = {"lsl", "lsr", "asr", "ror", "rrx"};

/* "ADD_IF" becomes "adds"; the form is what comes after the underscore. */
static const char *cortex_text_mnemonic(unsigned op, char *name, size_t size)
{
    const char *whole = cortex_text_names[op], *form = strrchr(whole, '_');
    size_t length = form ? (size_t)(form - whole) : strlen(whole);
    length = length < size - 2 ? length : size - 2;
    for (size_t k = 0; k < length; k++)
        name[k] = (char)tolower((unsigned char)whole[k]);
    name[length] = 0;
    if (form && form[1] && (form[2] == 'F' || strcmp(form, "_F") == 0))
        strcat(name, "s");
    return form ? form + 1 : "";
}

static void cortex_text_list(uint32_t list, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (unsigned r = 0; r < 16; r++)
        if (list >> r & 1) {
            unsigned last = r;
            while (last < 12 && list >> (last + 1) & 1)
                last++;
            int n = last > r + 1 ? snprintf(text + used, size - used, "%s%s-%s", used ? ", " : "", REG(r), REG(last))
                                 : snprintf(text + used, size - used, "%s%s", used ? ", " : "", REG(r));
            used += (size_t)n < size - used ? (size_t)n : 0;
            r = last > r + 1 ? last : r;
        }
}

static void cortex_text_data(const struct cortex_insn *i, const char *name, const char *form, char *text, size_t size)
{
    unsigned op = i->op;
    bool tests = (op >= CORTEX_TST_I && op <= CORTEX_CMN_S), moves = op >= CORTEX_MOV_I && op <= CORTEX_MVN_SF;
    char first[16] = "";
    if (tests)
        snprintf(first, sizeof first, "%s, ", REG(i->n));
    else if (moves)
        snprintf(first, sizeof first, "%s, ", REG(i->d));
    else
        snprintf(first, sizeof first, "%s, %s, ", REG(i->d), REG(i->n));
    if (form[0] == 'I')
        snprintf(text, size, "%s %s#%u", name, first, i->imm);
    else if (form[0] == 'R')
        snprintf(text, size, "%s %s%s", name, first, REG(i->m));
    else if (i->x == CORTEX_RRX)
        snprintf(text, size, "%s %s%s, rrx", name, first, REG(i->m));
    else
        snprintf(text, size, "%s %s%s, %s #%u", name, first, REG(i->m), cortex_text_shifts[i->x], i->imm);
}

static void cortex_text_memory(const struct cortex_insn *i, const char *name, const char *form, char *text, size_t size)
{
    if (form[0] == 'R' && i->imm)
        snprintf(text, size, "%s %s, [%s, %s, lsl #%u]", name, REG(i->d), REG(i->n), REG(i->m), i->imm);
    else if (form[0] == 'R')
        snprintf(text, size, "%s %s, [%s, %s]", name, REG(i->d), REG(i->n), REG(i->m));
    else if (form[0] == 'W' && !(i->x & CORTEX_INDEX))
        snprintf(text, size, "%s %s, [%s], #%d", name, REG(i->d), REG(i->n), (int)i->imm);
    else if (i->imm)
        snprintf(text, size, "%s %s, [%s, #%d]%s", name, REG(i->d), REG(i->n), (int)i->imm, form[0] == 'W' ? "!" : "");
    else
        snprintf(text, size, "%s %s, [%s]", name, REG(i->d), REG(i->n));
}

static void cortex_text_multiple(const struct cortex_insn *i, char *text, size_t size)
{
    char list[80];
    bool load = i->op == CORTEX_LDM, down = i->x & CORTEX_INDEX, back = i->x & CORTEX_WRITE_BACK;
    cortex_text_list(i->imm, list, sizeof list);
    if (i->n == 13 && back && load != down)
        snprintf(text, size, "%s {%s}", load ? "pop" : "push", list);
    else
        snprintf(text, size, "%s%s %s%s, {%s}", load ? "ldm" : "stm", down ? "db" : "ia", REG(i->n), back ? "!" : "",
                 list);
}

static void cortex_text_it(const struct cortex_insn *i, char *text, size_t size)
{
    static const char *const conditions[16] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                               "hi", "ls", "ge", "lt", "gt", "le", "al", "??"};
    unsigned first = i->imm >> 4 & 15, mask = i->imm & 15, count = 4 - (unsigned)__builtin_ctz(mask | 16);
    char then[4] = "";
    for (unsigned k = 1; k < count; k++)
        then[k - 1] = (mask >> (4 - k) & 1) == (first & 1) ? 't' : 'e';
    snprintf(text, size, "it%s %s", then, conditions[first]);
}

static void cortex_text_branch(const struct cortex_insn *i, uint32_t at, const char *name, char *text, size_t size)
{
    int offset = (int)(i->imm - at);
    if (i->op == CORTEX_CBZ || i->op == CORTEX_CBNZ)
        snprintf(text, size, "%s %s, .%+d", name, REG(i->n), offset);
    else
        snprintf(text, size, "%s .%+d", i->op == CORTEX_B_SELF ? "b" : name, offset);
}

static void cortex_text_raw(const struct cortex_insn *i, uint32_t opcode, const char *what, char *text, size_t size)
{
    if (i->length == 2)
        snprintf(text, size, ".inst.w 0x%08x ; %s", opcode, what);
    else
        snprintf(text, size, ".inst.n 0x%04x ; %s", opcode, what);
}

static void cortex_text(const struct cortex_insn *i, uint32_t at, uint32_t opcode, char *text, size_t size)
{
    char name[16];
    unsigned op = i->op & ~CORTEX_BITS;
    const char *form = cortex_text_mnemonic(op, name, sizeof name);
    if (op >= CORTEX_AND_I && op <= CORTEX_CMN_S)
        cortex_text_data(i, name, form, text, size);
    else if (op >= CORTEX_LSL_R && op <= CORTEX_ROR_RF)
        snprintf(text, size, "%s %s, %s, %s", name, REG(i->d), REG(i->n), REG(i->m));
    else if (op >= CORTEX_LSL_IF && op <= CORTEX_ASR_IF)
        snprintf(text, size, "%s %s, %s, #%u", name, REG(i->d), REG(i->m), i->imm);
    else if (op >= CORTEX_LDR_I && op <= CORTEX_STRH_W)
        cortex_text_memory(i, name, form, text, size);
    else if ((op >= CORTEX_BEQ && op <= CORTEX_BL) || op == CORTEX_CBZ || op == CORTEX_CBNZ)
        cortex_text_branch(i, at, name, text, size);
    else
        switch (op) {
        case CORTEX_LDM:
        case CORTEX_STM: cortex_text_multiple(i, text, size); break;
        case CORTEX_IT: cortex_text_it(i, text, size); break;
        case CORTEX_LDR_L:
            snprintf(text, size, "ldr %s, [pc, #%d]", REG(i->d), (int)(i->imm - ((at + 4) & ~3u)));
            break;
        case CORTEX_FRAME: snprintf(text, size, "sub sp, sp, #%u", i->imm); break;
        case CORTEX_MOVT: snprintf(text, size, "movt %s, #%u", REG(i->d), i->imm); break;
        case CORTEX_BX:
        case CORTEX_BLX: snprintf(text, size, "%s %s", name, REG(i->m)); break;
        case CORTEX_MOV_PC: snprintf(text, size, "mov pc, %s", REG(i->m)); break;
        case CORTEX_ADD_PC: snprintf(text, size, "add pc, %s", REG(i->m)); break;
        case CORTEX_GET_PC: snprintf(text, size, "mov %s, pc", REG(i->d)); break;
        case CORTEX_PLUS_PC: snprintf(text, size, "add %s, pc", REG(i->d)); break;
        case CORTEX_MUL:
        case CORTEX_MUL_F:
        case CORTEX_SDIV:
        case CORTEX_UDIV: snprintf(text, size, "%s %s, %s, %s", name, REG(i->d), REG(i->n), REG(i->m)); break;
        case CORTEX_MLA:
        case CORTEX_MLS:
            snprintf(text, size, "%s %s, %s, %s, %s", name, REG(i->d), REG(i->n), REG(i->m), REG(i->x));
            break;
        case CORTEX_UMULL:
        case CORTEX_SMULL:
        case CORTEX_UMLAL:
        case CORTEX_SMLAL:
            snprintf(text, size, "%s %s, %s, %s, %s", name, REG(i->x), REG(i->d), REG(i->n), REG(i->m));
            break;
        case CORTEX_SXTB:
        case CORTEX_SXTH:
        case CORTEX_UXTB:
        case CORTEX_UXTH:
        case CORTEX_REV:
        case CORTEX_REV16:
        case CORTEX_REVSH:
        case CORTEX_RBIT:
        case CORTEX_CLZ: snprintf(text, size, "%s %s, %s", name, REG(i->d), REG(i->m)); break;
        case CORTEX_UBFX:
        case CORTEX_SBFX:
        case CORTEX_BFI: snprintf(text, size, "%s %s, %s, #%u, #%u", name, REG(i->d), REG(i->n), i->x, i->imm); break;
        case CORTEX_BFC: snprintf(text, size, "bfc %s, #%u, #%u", REG(i->d), i->x, i->imm); break;
        case CORTEX_LDRD:
        case CORTEX_STRD:
            snprintf(text, size, "%s %s, %s, [%s, #%d]", name, REG(i->d), REG(i->m), REG(i->n), (int)i->imm);
            break;
        case CORTEX_TBB: snprintf(text, size, "tbb [%s, %s]", REG(i->n), REG(i->m)); break;
        case CORTEX_TBH: snprintf(text, size, "tbh [%s, %s, lsl #1]", REG(i->n), REG(i->m)); break;
        case CORTEX_SVC:
        case CORTEX_BKPT: snprintf(text, size, "%s #%u", name, i->imm); break;
        case CORTEX_NOP:
        case CORTEX_WFI:
        case CORTEX_WFE:
        case CORTEX_SEV: snprintf(text, size, "%s", name); break;
        case CORTEX_RARE: cortex_text_raw(i, opcode, "DSP or saturation", text, size); break;
        case CORTEX_FLOAT: cortex_text_raw(i, opcode, "floating point", text, size); break;
        case CORTEX_SYSTEM: cortex_text_raw(i, opcode, "special register", text, size); break;
        case CORTEX_UNDEFINED: cortex_text_raw(i, opcode, "undefined", text, size); break;
        default: cortex_text_raw(i, opcode, name, text, size); break;
        }
}

unsigned cortex_disassemble(const uint8_t *code, size_t size, uint32_t at, char *text, size_t text_size)
{
    if (size < 2) {
        snprintf(text, text_size, ".byte 0x%02x", size ? code[0] : 0);
        return 1;
    }
    uint16_t first = (uint16_t)(code[0] | code[1] << 8), second = size >= 4 ? (uint16_t)(code[2] | code[3] << 8) : 0;
    if (cortex_is_wide(first) && size < 4) {
        snprintf(text, text_size, ".inst.n 0x%04x ; the first half of an instruction", first);
        return 2;
    }
    struct cortex_insn i = cortex_decode(at, first, second, 0);
    cortex_text(&i, at, i.length == 2 ? (uint32_t)first << 16 | second : first, text, text_size);
    return 2u * i.length;
}
