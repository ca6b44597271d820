/* Doing something to the selected node: bytes, levels, a reset. Each is an input of the timeline. */
#include <stdlib.h>
#include <string.h>

#include "debugger/internal.h"

static bool give(struct commands *c, struct motet_input is, struct answer *a)
{
    return motet_timeline_give(c->timeline, c->node, &is) ||
           answer_refuse(a, "the node has ended or has no power; go back before you do something to it");
}

/* ---- serial ports ---- */

/* With \n, \r, \t and \\ as in C; returns how many bytes it is. */
static size_t give_bytes(const char *text, uint8_t *bytes, size_t room)
{
    size_t count = 0;
    for (; *text && count < room; text++) {
        bool escape = *text == '\\' && text[1];
        text += escape;
        char is = *text;
        bytes[count++] = (uint8_t)(!escape ? is : is == 'n' ? '\n' : is == 'r' ? '\r' : is == 't' ? '\t' : is);
    }
    return count;
}

void commands_send(struct commands *c, const char *arguments, struct answer *a)
{
    uint8_t bytes[COMMANDS_TEXT];
    char *end;
    unsigned long port = strtoul(arguments, &end, 10);
    if (end == arguments || *end != ' ' || port > MOTET_CONSOLE ||
        !motet_machine_has_serial(motet_node_machine(commands_node(c)), (unsigned)port)) {
        answer_refuse(a, "send wants a serial port of the chip and the text, such as send 0 hello\\n");
        return;
    }
    size_t count = give_bytes(end + 1, bytes, sizeof bytes);
    give(c, (struct motet_input){.kind = MOTET_INPUT_SERIAL, .where = (uint32_t)port, .bytes = bytes, .size = count},
         a);
}

/* ---- pins ---- */

/* By its name, up to the '=' after it; with a dot or without. -1: there is none. */
static int give_find_pin(const motet_machine *m, const char *text)
{
    char name[8];
    for (unsigned pin = 0; motet_machine_pin_name(m, pin, name); pin++) {
        const char *has = name, *wanted = text;
        while (*has && *has == *wanted) {
            has += 1 + (has[1] == '.');
            wanted += 1 + (wanted[1] == '.');
        }
        if (!*has && *wanted == '=')
            return (int)pin;
    }
    return -1;
}

void commands_pin(struct commands *c, const char *arguments, struct answer *a)
{
    static const struct {
        const char *name;
        enum motet_drive drive;
    } levels[] = {{"0", MOTET_LOW},
                  {"1", MOTET_HIGH},
                  {"z", MOTET_FLOATING},
                  {"up", MOTET_PULLED_UP},
                  {"down", MOTET_PULLED_DOWN}};
    const char *level = strchr(arguments, '=');
    int pin = level ? give_find_pin(motet_node_machine(commands_node(c)), arguments) : -1;
    for (size_t i = 0; pin >= 0 && i < sizeof levels / sizeof levels[0]; i++)
        if (strcmp(level + 1, levels[i].name) == 0) {
            give(c, (struct motet_input){.kind = MOTET_INPUT_PIN, .where = (uint32_t)pin, .value = levels[i].drive}, a);
            return;
        }
    answer_refuse(a, "pin wants PIN=LEVEL, such as pin PB0=1; levels are 0, 1, z, up and down");
}

void commands_reset(struct commands *c, const char *arguments, struct answer *a)
{
    (void)arguments;
    if (!give(c, (struct motet_input){.kind = MOTET_INPUT_RESET}, a))
        return;
    a->moved = true;
    commands_say_here(c, a);
}
