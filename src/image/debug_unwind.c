/* Call frame information (DWARF 5, 6.4) from .debug_frame. libdw can evaluate it only for machines that elfutils has a
 * backend for, and it has none for AVR or MSP430. */
#include "image/internal.h"
#include "image/reader.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_LIMIT = 1 << 20, REMEMBERED_LIMIT = 8 };

/* The contents of the entry at `at`; false at the end of the section or where it is not as it should be. */
static bool entry_open(const uint8_t *section, size_t size, size_t at, struct reader *entry)
{
    struct reader r = {.at = section + at, .end = section + size};
    if (at > size)
        return false;
    uint32_t length = reader_number(&r, 4);
    if (r.failed || length > (size_t)(r.end - r.at))
        return false;
    *entry = (struct reader){.at = r.at, .end = r.at + length};
    return true;
}

static bool common_read(const uint8_t *section, size_t size, size_t at, struct frame_rules *f, unsigned *address_size)
{
    struct reader r;
    if (!entry_open(section, size, at, &r) || reader_number(&r, 4) != 0xffffffff)
        return false;
    uint32_t version = reader_number(&r, 1);
    if ((version != 1 && version != 3 && version != 4) || reader_number(&r, 1) != 0) /* no augmentation is known here */
        return false;
    *address_size = 4;
    if (version == 4) {
        *address_size = reader_number(&r, 1);
        if ((*address_size != 2 && *address_size != 4) || reader_number(&r, 1) != 0)
            return false;
    }
    f->code_factor = reader_uleb(&r);
    f->data_factor = reader_sleb(&r);
    f->return_column = version == 1 ? reader_number(&r, 1) : reader_uleb(&r);
    f->initial = r.at;
    f->initial_size = (uint32_t)(r.end - r.at);
    return !r.failed && f->return_column < DEBUG_REGISTERS;
}

static int frame_order(const void *a, const void *b)
{
    const struct frame_rules *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->program > y->program) - (x->program < y->program);
}

void frames_load(struct image *i, const uint8_t *bytes, size_t size)
{
    const uint8_t *section = store_copy(&i->store, bytes, size);
    struct growing frames = {0};
    struct reader r;
    for (size_t at = 0; frames.count < FRAME_LIMIT && entry_open(section, size, at, &r);
         at = (size_t)(r.end - section)) {
        struct frame_rules f = {0};
        unsigned address_size;
        struct reader entry = r;
        uint32_t common = reader_number(&entry, 4);
        if (common == 0xffffffff || !common_read(section, size, common, &f, &address_size))
            continue;
        f.start = reader_number(&entry, address_size);
        uint32_t length = reader_number(&entry, address_size);
        f.end = f.start + length;
        f.program = entry.at;
        f.program_size = (uint32_t)(entry.end - entry.at);
        if (entry.failed || f.end <= f.start || f.end > IMAGE_ADDRESS_LIMIT ||
            (f.start == 0 && dwarf_zero_is_nowhere(i)))
            continue;
        *(struct frame_rules *)growing_add(&frames, sizeof f) = f;
    }
    if (frames.count)
        qsort(frames.items, frames.count, sizeof(struct frame_rules), frame_order);
    i->frame_count = frames.count;
    i->frames = growing_keep(&frames, sizeof(struct frame_rules), &i->store);
}

static const struct frame_rules *frame_at(const struct image *i, uint32_t pc)
{
    size_t low = 0, high = i->frame_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (i->frames[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pc < i->frames[low - 1].end ? &i->frames[low - 1] : NULL;
}

enum how { SAME, UNDEFINED, SAVED /* at CFA + value */, COMPUTED /* is CFA + value */, IN_REGISTER };

struct rule {
    enum how how;
    int32_t value;
};

struct row {
    uint32_t cfa_register;
    int32_t cfa_offset;
    bool cfa_known;
    struct rule rules[DEBUG_REGISTERS];
};

struct machine {
    const struct frame_rules *frame;
    uint32_t location, pc;
    struct row row, initial, remembered[REMEMBERED_LIMIT];
    unsigned remembered_count;
};

static void rule_set(struct machine *m, uint32_t column, enum how how, int32_t value)
{
    if (column < DEBUG_REGISTERS)
        m->row.rules[column] = (struct rule){.how = how, .value = value};
}

static int32_t scaled(const struct machine *m, int32_t offset)
{
    return (int32_t)((uint32_t)offset * (uint32_t)m->frame->data_factor);
}

static void cfa_set(struct machine *m, uint32_t column, int32_t offset)
{
    m->row.cfa_register = column;
    m->row.cfa_offset = offset;
    m->row.cfa_known = column < DEBUG_REGISTERS;
}

static void debug_unwind_restore(struct machine *m, uint32_t column)
{
    if (column < DEBUG_REGISTERS)
        m->row.rules[column] = m->initial.rules[column];
}

/* The operations whose operand is in the opcode's own bits are treated by the caller. */
static bool operation(struct machine *m, struct reader *r, uint8_t opcode)
{
    uint32_t column;
    switch (opcode) {
    case DW_CFA_nop: break;
    case DW_CFA_set_loc: m->location = reader_number(r, 4); break;
    case DW_CFA_advance_loc1: m->location += reader_number(r, 1) * m->frame->code_factor; break;
    case DW_CFA_advance_loc2: m->location += reader_number(r, 2) * m->frame->code_factor; break;
    case DW_CFA_advance_loc4: m->location += reader_number(r, 4) * m->frame->code_factor; break;
    case DW_CFA_offset_extended:
        column = reader_uleb(r), rule_set(m, column, SAVED, scaled(m, (int32_t)reader_uleb(r)));
        break;
    case DW_CFA_offset_extended_sf:
        column = reader_uleb(r), rule_set(m, column, SAVED, scaled(m, reader_sleb(r)));
        break;
    case DW_CFA_val_offset:
        column = reader_uleb(r), rule_set(m, column, COMPUTED, scaled(m, (int32_t)reader_uleb(r)));
        break;
    case DW_CFA_val_offset_sf: column = reader_uleb(r), rule_set(m, column, COMPUTED, scaled(m, reader_sleb(r))); break;
    case DW_CFA_register: column = reader_uleb(r), rule_set(m, column, IN_REGISTER, (int32_t)reader_uleb(r)); break;
    case DW_CFA_restore_extended: debug_unwind_restore(m, reader_uleb(r)); break;
    case DW_CFA_undefined: rule_set(m, reader_uleb(r), UNDEFINED, 0); break;
    case DW_CFA_same_value: rule_set(m, reader_uleb(r), SAME, 0); break;
    case DW_CFA_def_cfa: column = reader_uleb(r), cfa_set(m, column, (int32_t)reader_uleb(r)); break;
    case DW_CFA_def_cfa_sf: column = reader_uleb(r), cfa_set(m, column, scaled(m, reader_sleb(r))); break;
    case DW_CFA_def_cfa_register: cfa_set(m, reader_uleb(r), m->row.cfa_offset); break;
    case DW_CFA_def_cfa_offset: m->row.cfa_offset = (int32_t)reader_uleb(r); break;
    case DW_CFA_def_cfa_offset_sf: m->row.cfa_offset = scaled(m, reader_sleb(r)); break;
    case DW_CFA_GNU_args_size: reader_uleb(r); break;
    case DW_CFA_def_cfa_expression: m->row.cfa_known = false, reader_skip(r, reader_uleb(r)); break;
    case DW_CFA_expression:
    case DW_CFA_val_expression: rule_set(m, reader_uleb(r), UNDEFINED, 0), reader_skip(r, reader_uleb(r)); break;
    case DW_CFA_remember_state:
        if (m->remembered_count == REMEMBERED_LIMIT)
            return false;
        m->remembered[m->remembered_count++] = m->row;
        break;
    case DW_CFA_restore_state:
        if (m->remembered_count == 0)
            return false;
        m->row = m->remembered[--m->remembered_count];
        break;
    default: return false;
    }
    return true;
}

/* Runs instructions until the location passes the pc. */
static bool program_run(struct machine *m, const uint8_t *program, uint32_t size)
{
    struct reader r = {.at = program, .end = program + size};
    while (r.at < r.end) {
        struct row before = m->row;
        uint8_t opcode = *r.at++, low = opcode & 0x3f;
        switch (opcode & 0xc0) {
        case DW_CFA_advance_loc: m->location += low * m->frame->code_factor; break;
        case DW_CFA_offset: rule_set(m, low, SAVED, scaled(m, (int32_t)reader_uleb(&r))); break;
        case DW_CFA_restore: debug_unwind_restore(m, low); break;
        default:
            if (!operation(m, &r, opcode))
                return false;
        }
        if (r.failed)
            return false;
        if (m->location > m->pc) {
            m->row = before;
            return true;
        }
    }
    return true;
}

/* Where registers are bytes, a base is a pair: avr-gcc names r28 where it means r29:r28. */
static uint32_t base_value(const struct image_target *t, const struct debug_frame *frame, uint32_t column)
{
    if (t->register_width == 1 && column < 31)
        return frame->registers[column] | frame->registers[column + 1] << 8;
    return frame->registers[column];
}

static unsigned return_width(const struct image *i)
{
    return i->target->return_width(i->elf_flags);
}

static bool debug_unwind_return_address(const struct image *i, uint32_t at, debug_read *read, void *context,
                                        uint32_t *pc)
{
    const struct image_target *t = i->target;
    unsigned width = return_width(i);
    uint8_t bytes[4];
    if (!read(context, t->data_space + (at & t->address_mask), bytes, width))
        return false;
    *pc = 0;
    for (unsigned n = 0; n < width; n++)
        *pc |= (uint32_t)bytes[n] << 8 * (t->return_high_first ? width - 1 - n : n);
    *pc *= t->code_unit;
    return true;
}

/* Whether nothing is known of a register in the caller's frame, though it was known in the one below. */
static bool is_lost(const struct image_target *t, const struct rule *rule, unsigned number,
                    const struct debug_frame *frame, bool after_call)
{
    switch (rule->how) {
    case UNDEFINED: return true;
    case SAME: return after_call && t->scratch >> number & 1;
    case IN_REGISTER: return (uint32_t)rule->value >= DEBUG_REGISTERS || frame->unknown >> rule->value & 1;
    default: return false;
    }
}

static bool registers_restore(const struct image_target *t, const struct row *row, const struct debug_frame *frame,
                              debug_read *read, void *context, struct debug_frame *caller)
{
    for (unsigned n = 0; n < DEBUG_REGISTERS; n++) {
        const struct rule *rule = &row->rules[n];
        uint32_t at = caller->cfa + (uint32_t)rule->value;
        uint8_t bytes[4] = {0};
        if (rule->how == COMPUTED) {
            caller->registers[n] = at & t->address_mask;
        } else if (rule->how == IN_REGISTER && (uint32_t)rule->value < DEBUG_REGISTERS) {
            caller->registers[n] = frame->registers[rule->value];
        } else if (rule->how == SAVED) {
            if (!read(context, t->data_space + (at & t->address_mask), bytes, t->register_width))
                return false;
            caller->registers[n] =
                bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        }
        if (is_lost(t, rule, n, frame, caller->after_call))
            caller->unknown |= UINT64_C(1) << n;
        else if (rule->how != SAME)
            caller->unknown &= ~(UINT64_C(1) << n);
    }
    caller->registers[t->stack_pointer] = caller->cfa;
    caller->unknown &= ~(UINT64_C(1) << t->stack_pointer);
    return true;
}

static bool is_interrupt_handler(const struct image *i, uint32_t pc)
{
    const struct image_symbol *s = image_symbol_at(i, pc);
    return s && i->target->is_handler && i->target->is_handler(i, s);
}

/* Where a frame's return address and saved registers are. */
struct layout {
    uint32_t cfa;
    int32_t returns; /* the return address is at CFA + this */
    struct row row;
};

/* By call frame information. */
static bool layout_by_cfi(const struct frame_rules *f, const struct image_target *t, const struct debug_frame *frame,
                          uint32_t pc, struct layout *l)
{
    struct machine m = {.frame = f, .location = f->start, .pc = pc};
    if (!program_run(&m, f->initial, f->initial_size))
        return false;
    m.initial = m.row;
    if (!program_run(&m, f->program, f->program_size) || !m.row.cfa_known || m.row.rules[f->return_column].how != SAVED)
        return false;
    *l = (struct layout){.cfa = base_value(t, frame, m.row.cfa_register) + (uint32_t)m.row.cfa_offset,
                         .returns = m.row.rules[f->return_column].value,
                         .row = m.row};
    l->row.rules[f->return_column].how = SAME;
    return true;
}

static void saved_by_prologue(const struct prologue *p, unsigned width, struct layout *l)
{
    for (unsigned r = 0; r < 32; r++) {
        l->row.rules[r] = (struct rule){.how = SAME};
        if (p->saved[r])
            l->row.rules[r] = (struct rule){.how = SAVED, .value = -(int32_t)(width + p->saved[r] - 1)};
    }
}

static uint32_t cfa_by_prologue(const struct image *i, const struct prologue *p, const struct debug_frame *frame)
{
    const struct image_target *t = i->target;
    bool by_pointer = p->y_loaded == 3 && !p->y_broken;
    uint32_t from = by_pointer ? t->unwinder->frame_pointer(frame) + p->below_y : frame->registers[t->stack_pointer];
    return from + p->pushed + return_width(i);
}

/* Replaces what CFI says by what the prologue's instructions do, where these are all that has run, or where they push
 * more than CFI knows. */
static void layout_correct(const struct image *i, const struct frame_rules *f, const struct debug_frame *frame,
                           uint32_t pc, struct layout *l)
{
    struct prologue p;
    bool in_prologue = i->target->unwinder->prologue(i, f->start, pc, return_width(i), &p) && !frame->after_call;
    if (in_prologue)
        l->cfa = cfa_by_prologue(i, &p, frame);
    else if (p.hidden)
        l->cfa += p.hidden;
    else
        return;
    saved_by_prologue(&p, return_width(i), l);
}

/* By instructions alone, for code without CFI (libgcc, avr-libc). What comes of it is checked by follows_call(). */
static bool layout_by_prologue(const struct image *i, const struct debug_frame *frame, uint32_t pc, struct layout *l)
{
    const struct image_symbol *function = image_symbol_at(i, pc);
    unsigned width = return_width(i);
    struct prologue p;
    if (!function || function->kind == IMAGE_SYMBOL_OBJECT || is_interrupt_handler(i, pc))
        return false;
    i->target->unwinder->prologue(i, function->address, pc, width, &p);
    *l = (struct layout){.cfa = cfa_by_prologue(i, &p, frame), .returns = 1 - (int32_t)width};
    saved_by_prologue(&p, width, l);
    return true;
}

/* Where a handler is described as if it had been called, though the entry of an interrupt pushed a register after the
 * return address: that lies where the return address would be, and the return address above. */
static void layout_of_handler(const struct image_target *t, struct layout *l)
{
    int32_t width = (int32_t)t->register_width;
    l->cfa += t->register_width;
    for (unsigned r = 0; r < DEBUG_REGISTERS; r++)
        if (l->row.rules[r].how == SAVED || l->row.rules[r].how == COMPUTED)
            l->row.rules[r].value -= width;
    l->row.rules[t->handler_saves] = (struct rule){.how = SAVED, .value = -2 * width};
}

static bool layout_of(const struct image *i, const struct frame_rules *f, const struct debug_frame *frame, uint32_t pc,
                      struct layout *l)
{
    const struct unwinder *u = i->target->unwinder;
    if (!f)
        return u && layout_by_prologue(i, frame, pc, l);
    if (!layout_by_cfi(f, i->target, frame, pc, l))
        return false;
    if (u)
        layout_correct(i, f, frame, pc, l);
    else if (i->target->handler_saves && is_interrupt_handler(i, pc))
        layout_of_handler(i->target, l);
    return true;
}

bool debug_unwind(const struct image *i, const struct debug_frame *frame, debug_read *read, void *context,
                  struct debug_frame *caller)
{
    const struct image_target *t = i->target;
    uint32_t pc = frame->pc - (frame->after_call ? 1 : 0);
    const struct frame_rules *f = frame_at(i, pc);
    struct debug_frame up = *frame, at_return;
    struct layout l;
    bool in_epilogue = t->unwinder && !frame->after_call && t->unwinder->epilogue(i, frame, read, context, &at_return);
    if (in_epilogue) {
        up = at_return;
        l = (struct layout){.cfa = up.registers[t->stack_pointer] + return_width(i),
                            .returns = 1 - (int32_t)return_width(i)};
    } else if (!layout_of(i, f, frame, pc, &l)) {
        return false;
    }
    up.cfa = l.cfa & t->address_mask;
    up.after_call = !is_interrupt_handler(i, pc);
    /* A caller's frame is above. In an epilogue the stack pointer may be half written, high byte first. */
    if (up.cfa + (in_epilogue ? 0x100 : 0) <= frame->registers[t->stack_pointer])
        return false;
    if (!debug_unwind_return_address(i, up.cfa + (uint32_t)l.returns, read, context, &up.pc) ||
        !registers_restore(t, &l.row, frame, read, context, &up))
        return false;
    if (!f && !t->unwinder->follows_call(i, up.pc))
        return false;
    *caller = up;
    return true;
}
