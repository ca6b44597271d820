#include "interface/print.h"

#include <inttypes.h>
#include <string.h>

#include "export/json.h"

static int64_t print_signed(uint64_t value, uint32_t size)
{
    unsigned shift = 64 - 8 * (size ? size : 1);
    return (int64_t)(value << shift) >> shift;
}

static void print_hex(const uint8_t *bytes, uint32_t size, const char *between, FILE *out)
{
    for (uint32_t i = 0; i < size; i++)
        fprintf(out, "%s%02x", i ? between : "", bytes[i]);
}

static void print_value(const struct interface_type *t, const struct interface_event *e, uint32_t i, bool json,
                        FILE *out)
{
    float real;
    uint32_t bits = (uint32_t)e->values[i];
    if (e->wide[i] || t->kind == INTERFACE_STRUCT) {
        uint8_t small[8];
        for (unsigned k = 0; k < sizeof small; k++)
            small[k] = (uint8_t)(e->values[i] >> (8 * k));
        fputs(json ? "\"" : "{", out);
        print_hex(e->wide[i] ? e->wide[i] : small, t->size, json ? "" : " ", out);
        fputs(json ? "\"" : "}", out);
    } else if (t->kind == INTERFACE_SIGNED || t->kind == INTERFACE_CHAR) {
        fprintf(out, "%" PRId64, print_signed(e->values[i], t->size));
    } else if (t->kind == INTERFACE_BOOL) {
        fputs(e->values[i] ? "true" : "false", out);
    } else if (t->kind == INTERFACE_FLOAT && t->size == 4) {
        memcpy(&real, &bits, sizeof real);
        fprintf(out, "%.9g", (double)real);
    } else if (!json && (t->kind == INTERFACE_POINTER || t->kind == INTERFACE_CODE)) {
        fprintf(out, "0x%04" PRIx64, e->values[i]);
    } else {
        fprintf(out, "%" PRIu64, e->values[i]);
    }
}

/* ---- text ---- */

static void print_call(const struct interface_header *h, const struct interface_event *e, FILE *out)
{
    const struct interface_function *f = &h->functions[e->function];
    fputs(f->name, out);
    if (interface_is_call(e)) {
        fputc('(', out);
        for (uint32_t i = 0; i < e->value_count; i++) {
            fprintf(out, "%s%s%s", i ? ", " : "", f->parameters[i].name, f->parameters[i].name[0] ? "=" : "");
            print_value(&f->parameters[i].type, e, i, false, out);
        }
        fputc(')', out);
    } else if (e->value_count) {
        fputs(" = ", out);
        print_value(&f->result, e, 0, false, out);
    }
    for (uint32_t i = 0; i < e->byte_count; i++) {
        fprintf(out, "%s%s: ", i ? ", " : " {", f->buffers[e->bytes[i].buffer].expression);
        print_hex(e->bytes[i].bytes, e->bytes[i].size, " ", out);
    }
    if (e->byte_count)
        fputc('}', out);
    if (e->interrupts)
        fprintf(out, " interrupts 0x%04" PRIx32 " after %" PRIu64 " instructions", e->pc, e->position);
}

static const char *const print_reasons[] = {
    [INTERFACE_AT_START] = "start",
    [INTERFACE_SWITCHED_ON] = "switched on",
    [INTERFACE_AFTER_OVERFLOW] = "after an overflow",
    [INTERFACE_RETARGETED] = "re-targeted",
};

/* The variable that holds an address, or NULL. */
static const struct interface_variable *print_variable_at(const struct interface_header *h, uint32_t address)
{
    for (uint32_t i = 0; i < h->variable_count; i++)
        if (address - h->variables[i].address < h->variables[i].size)
            return &h->variables[i];
    return NULL;
}

static void print_read(const struct interface_header *h, const struct interface_event *e, FILE *out)
{
    const struct interface_variable *v = print_variable_at(h, e->address);
    if (v && e->address != v->address)
        fprintf(out, "%s+%" PRIu32, v->name, e->address - v->address);
    else if (v)
        fputs(v->name, out);
    else
        fprintf(out, "0x%04" PRIx32, e->address);
    fputs(": ", out);
    print_hex(e->bytes[0].bytes, e->bytes[0].size, " ", out);
}

void interface_print_event(const struct interface_header *h, const struct interface_event *e, FILE *out)
{
    switch (e->kind) {
    case INTERFACE_READ: print_read(h, e, out); break;
    case INTERFACE_SNAPSHOT:
        fprintf(out, "%s: ", h->variables[e->variable].name);
        print_hex(e->bytes[0].bytes, e->bytes[0].size, " ", out);
        break;
    case INTERFACE_BEGIN: fputs(print_reasons[e->reason], out); break;
    case INTERFACE_GAP:
        if (e->lost == UINT64_MAX)
            fputs("events are missing", out);
        else
            fprintf(out, "%" PRIu64 " events are missing", e->lost);
        break;
    case INTERFACE_TARGET: fprintf(out, "components 0x%" PRIx64, e->value); break;
    case INTERFACE_STATE: fprintf(out, "%016" PRIx64, e->value); break;
    case INTERFACE_OFF: break;
    case INTERFACE_RESET: fprintf(out, "epoch %" PRIu32, e->epoch); break;
    default: print_call(h, e, out);
    }
}

static double print_seconds(const struct interface_header *h, const struct interface_event *e)
{
    return h->hertz ? (double)e->time / (double)h->hertz : 0;
}

void interface_print_text(struct interface_reader *r, FILE *out)
{
    struct interface_event e;
    while (interface_next(r, &e)) {
        fprintf(out, "%14.9f %-10s %*s", print_seconds(&r->header, &e), interface_kind_name(e.kind), 2 * (int)e.depth,
                "");
        interface_print_event(&r->header, &e, out);
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

static void print_json_call(const struct interface_header *h, const struct interface_event *e, FILE *out)
{
    const struct interface_function *f = &h->functions[e->function];
    fprintf(out, ", \"depth\": %" PRIu32 ", \"function\": ", e->depth);
    json_put(out, f->name);
    if (interface_is_call(e)) {
        fputs(", \"parameters\": [", out);
        for (uint32_t i = 0; i < e->value_count; i++) {
            fputs(i ? ", {\"name\": " : "{\"name\": ", out);
            json_put(out, f->parameters[i].name);
            fputs(", \"value\": ", out);
            print_value(&f->parameters[i].type, e, i, true, out);
            fputc('}', out);
        }
        fputc(']', out);
    } else if (e->value_count) {
        fputs(", \"result\": ", out);
        print_value(&f->result, e, 0, true, out);
    }
    for (uint32_t i = 0; i < e->byte_count; i++) {
        fputs(i ? ", {\"expression\": " : ", \"buffers\": [{\"expression\": ", out);
        json_put(out, f->buffers[e->bytes[i].buffer].expression);
        fprintf(out, ", \"address\": %" PRIu32 ", \"bytes\": \"", e->bytes[i].address);
        print_hex(e->bytes[i].bytes, e->bytes[i].size, "", out);
        fputs("\"}", out);
    }
    if (e->byte_count)
        fputc(']', out);
    if (e->interrupts)
        fprintf(out, ", \"interrupts\": %" PRIu32 ", \"position\": %" PRIu64, e->pc, e->position);
}

static void print_json_event(const struct interface_header *h, const struct interface_event *e, FILE *out)
{
    fprintf(out, "{\"node\": %" PRIu32 ", \"epoch\": %" PRIu32 ", \"order\": %" PRIu64 ", \"time\": %.9f, \"event\": ",
            h->node, e->epoch, e->order, print_seconds(h, e));
    json_put(out, interface_kind_name(e->kind));
    switch (e->kind) {
    case INTERFACE_READ:
    case INTERFACE_SNAPSHOT:
        if (e->kind == INTERFACE_SNAPSHOT) {
            fputs(", \"variable\": ", out);
            json_put(out, h->variables[e->variable].name);
        }
        fprintf(out, ", \"address\": %" PRIu32 ", \"bytes\": \"", e->address);
        print_hex(e->bytes[0].bytes, e->bytes[0].size, "", out);
        fputc('"', out);
        break;
    case INTERFACE_BEGIN:
        fputs(", \"reason\": ", out);
        json_put(out, print_reasons[e->reason]);
        break;
    case INTERFACE_GAP:
        if (e->lost != UINT64_MAX)
            fprintf(out, ", \"lost\": %" PRIu64, e->lost);
        break;
    case INTERFACE_TARGET: fprintf(out, ", \"components\": %" PRIu64, e->value); break;
    case INTERFACE_STATE: fprintf(out, ", \"digest\": \"%016" PRIx64 "\"", e->value); break;
    case INTERFACE_OFF:
    case INTERFACE_RESET: break;
    default: print_json_call(h, e, out);
    }
    fputc('}', out);
}

void interface_print_json(struct interface_reader *r, bool list, FILE *out)
{
    struct interface_event e;
    for (bool first = true; interface_next(r, &e); first = false) {
        if (list && !first)
            fputs(", ", out);
        print_json_event(&r->header, &e, out);
        if (!list)
            fputc('\n', out);
    }
}
