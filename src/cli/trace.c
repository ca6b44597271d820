#include "trace.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sentence.h"
#include "terminal.h"

bool trace_parse(const char *text, unsigned *what, struct motet_error *e)
{
    static const char *const names[] = {"leds", "pins", "serial", "resets"};
    while (*text) {
        size_t length = strcspn(text, ",");
        unsigned i = 0;
        while (i < 4 && (strlen(names[i]) != length || strncmp(names[i], text, length) != 0))
            i++;
        if (i == 4)
            return sentence(e, "there is nothing called '%.*s' to trace; choose among leds, pins, serial, resets",
                            (int)(length < 40 ? length : 40), text);
        *what |= 1u << i;
        text += length;
        text += *text == ',';
    }
    return *what || sentence(e, "nothing to trace is given; choose among leds, pins, serial, resets");
}

static void print_time(const motet_node *n, uint64_t tick)
{
    uint64_t hz = motet_machine_hz(motet_node_machine(n));
    struct colours c = terminal_colours();
    unsigned long long nanoseconds = (unsigned long long)((unsigned __int128)(tick % hz) * 1000000000 / hz);
    fprintf(stderr, "%s%3llu.%09llu%s ", c.dim, (unsigned long long)(tick / hz), nanoseconds, c.off);
}

void trace_pin(unsigned what, const motet_node *n, uint64_t tick, unsigned pin, bool level)
{
    const motet_machine *m = motet_node_machine(n);
    struct colours c = terminal_colours();
    struct motet_led led;
    char name[8];
    for (size_t i = 0; what & TRACE_LEDS && motet_machine_led(m, i, &led); i++)
        if (led.pin == pin) {
            bool on = motet_node_led(n, i);
            print_time(n, tick);
            fprintf(stderr, "led %s %s%s%s\n", led.name, on ? c.name : "", on ? "on" : "off", c.off);
        }
    if (what & TRACE_PINS && motet_machine_pin_name(m, pin, name)) {
        print_time(n, tick);
        fprintf(stderr, "pin %s %d\n", name, level);
    }
}

void trace_serial(const motet_node *n, uint64_t tick, unsigned line, unsigned frame)
{
    print_time(n, tick);
    if (line == MOTET_CONSOLE)
        fprintf(stderr, "console ");
    else
        fprintf(stderr, "serial %u ", line);
    if (frame & MOTET_FRAME_BREAK)
        fprintf(stderr, "break\n");
    else if (frame < 0x80 && isprint((int)frame))
        fprintf(stderr, "0x%02x '%c'\n", frame, (char)frame);
    else
        fprintf(stderr, "0x%02x%s\n", frame & MOTET_FRAME_DATA,
                frame & ~(unsigned)MOTET_FRAME_DATA ? " (damaged)" : "");
}

void trace_reset(const motet_node *n, uint64_t tick, const char *cause)
{
    print_time(n, tick);
    fprintf(stderr, "reset %s\n", cause);
}
