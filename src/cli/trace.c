#include "trace.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sentence.h"
#include "terminal.h"

bool trace_parse(const char *text, unsigned *what, struct motet_error *e)
{
    static const char *const names[] = {"leds", "pins", "serial", "resets", "parts"};
    enum { NAMES = sizeof names / sizeof *names };
    while (*text) {
        size_t length = strcspn(text, ",");
        unsigned i = 0;
        while (i < NAMES && (strlen(names[i]) != length || strncmp(names[i], text, length) != 0))
            i++;
        if (i == NAMES)
            return sentence(e,
                            "there is nothing called '%.*s' to trace; choose among leds, pins, serial, resets, parts",
                            (int)(length < 40 ? length : 40), text);
        *what |= 1u << i;
        text += length;
        text += *text == ',';
    }
    return *what || sentence(e, "nothing to trace is given; choose among leds, pins, serial, resets, parts");
}

/* Adds a line to what is in the text. */
static void __attribute__((format(printf, 3, 4)))
cli_trace_add(char text[TRACE_TEXT], struct trace_place at, const char *format, ...)
{
    struct colours c = terminal_colours();
    size_t used = strlen(text);
    va_list arguments;
    used += (size_t)snprintf(text + used, TRACE_TEXT - used, "%s%3" PRIu64 ".%09" PRIu64 "%s ", c.dim,
                             at.nanosecond / MOTET_SECOND, at.nanosecond % MOTET_SECOND, c.off);
    if (at.named)
        used += (size_t)snprintf(text + used, TRACE_TEXT - used, "node %" PRIu32 " ", motet_node_id(at.node));
    va_start(arguments, format);
    vsnprintf(text + used, TRACE_TEXT - used, format, arguments);
    va_end(arguments);
}

void trace_pin(char text[TRACE_TEXT], unsigned what, struct trace_place at, unsigned pin, bool level)
{
    const motet_machine *m = motet_node_machine(at.node);
    struct colours c = terminal_colours();
    struct motet_led led;
    char name[8];
    *text = 0;
    for (size_t i = 0; what & TRACE_LEDS && motet_machine_led(m, i, &led); i++)
        if (led.pin == pin) {
            bool on = motet_node_led(at.node, i);
            cli_trace_add(text, at, "led %s %s%s%s\n", led.name, on ? c.name : "", on ? "on" : "off", c.off);
            break;
        }
    if (what & TRACE_PINS && motet_machine_pin_name(m, pin, name))
        cli_trace_add(text, at, "pin %s %d\n", name, level);
}

void trace_serial(char text[TRACE_TEXT], unsigned what, struct trace_place at, unsigned line, unsigned frame)
{
    char port[16] = "console";
    *text = 0;
    if (!(what & TRACE_SERIAL))
        return;
    if (line != MOTET_CONSOLE)
        snprintf(port, sizeof port, "serial %u", line);
    if (frame & MOTET_FRAME_BREAK)
        cli_trace_add(text, at, "%s break\n", port);
    else if (frame < 0x80 && isprint((int)frame))
        cli_trace_add(text, at, "%s 0x%02x '%c'\n", port, frame, (char)frame);
    else
        cli_trace_add(text, at, "%s 0x%02x%s\n", port, frame & MOTET_FRAME_DATA,
                      frame & ~(unsigned)MOTET_FRAME_DATA ? " (damaged)" : "");
}

void trace_reset(char text[TRACE_TEXT], unsigned what, struct trace_place at, const char *cause)
{
    *text = 0;
    if (what & TRACE_RESETS)
        cli_trace_add(text, at, "reset %.100s\n", cause);
}

/* What a part says is its own: its control characters do not reach the terminal. */
void trace_part(char text[TRACE_TEXT], unsigned what, struct trace_place at, const char *name, const char *doing)
{
    char clean[120];
    *text = 0;
    if (!(what & TRACE_PARTS))
        return;
    snprintf(clean, sizeof clean, "%s", doing);
    for (char *c = clean; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '.';
    cli_trace_add(text, at, "part %.40s %s\n", name, clean);
}
