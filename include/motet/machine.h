/* Machines: a firmware on a board or a bare chip. A machine never changes, and nodes share it. */
#ifndef MOTET_MACHINE_H
#define MOTET_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"

#include "motet/base/begin.h"

/* ---- what there is ---- */

struct motet_board_info {
    const char *name, *alias; /* alias may be NULL */
    const char *chip;
    const char *instruction_set;
    uint64_t hz;    /* of the CPU after reset */
    bool own_clock; /* made on the chip and set by the firmware, rather than an oscillator's */
    bool is_chip;   /* a bare chip rather than a board */
};

/* Boards, then bare chips, by number from 0; false past the last. */
bool motet_board(size_t number, struct motet_board_info *info);

/* ---- machines ---- */

struct motet_options {
    const char *board; /* board, alias or chip; NULL: the board or chip the firmware says it was built for */
    uint64_t hz;       /* main oscillator; 0: the board's */
    int fuses[3];      /* extended, high, low; -1: what the firmware file or the chip says */
    int lock;          /* likewise */

    const char *const *parts; /* from outside (motet/part.h), each as FILE:LEG,...; the board's own are there anyway */
    size_t part_count;
};
#define MOTET_OPTIONS_DEFAULT                                     \
    {                                                             \
        .board = NULL, .hz = 0, .fuses = {-1, -1, -1}, .lock = -1 \
    }

/* Loads an ELF or Intel HEX file, or S-records. */
motet_machine *motet_machine_load(const char *path, const struct motet_options *options, struct motet_error *e);
void motet_machine_free(motet_machine *m); /* after its nodes and snapshots */

uint64_t motet_machine_hz(const motet_machine *m);       /* ticks a second */
uint64_t motet_machine_cpu_hz(const motet_machine *m);   /* cycles of the CPU a second, after reset */
const char *motet_machine_board(const motet_machine *m); /* board, or chip where there is no board */
const char *motet_machine_chip(const motet_machine *m);

/* Analog lines are numbered from 0; a machine has some of them. */
enum { MOTET_CHANNELS = 32 };
bool motet_machine_has_channel(const motet_machine *m, unsigned channel);

/* A quantity of the environment that the board or its chip senses: "temperature" in "C", "humidity" in "%", "light" in
 * "lux". What lies on the channel is offset + factor * quantity, in microvolts (for sensors without an analog output in
 * millionths of the unit). Several sensors may sense one quantity. By number from 0; false past the last. */
struct motet_quantity {
    const char *name, *unit;
    unsigned channel;
    double offset, factor;
};
bool motet_machine_quantity(const motet_machine *m, size_t number, struct motet_quantity *q);

/* What the board's components draw in their states, a text in the form of docs/monitors.md (energy); NULL: not known.
 */
const char *motet_machine_currents(const motet_machine *m);

/* The debugger that knows the machine's instruction set, and Debian's package that has it; NULL if there is none. */
const char *motet_machine_debugger(const motet_machine *m, const char **package);

/* Pins, by number or name ("PB5"). A part that shows a pin, such as an LED, has a name of its own. */
unsigned motet_machine_pins(const motet_machine *m);                             /* numbers run below this */
bool motet_machine_pin_name(const motet_machine *m, unsigned pin, char name[8]); /* false: the chip has no such pin */
int motet_machine_pin_named(const motet_machine *m, const char *name);           /* -1: there is none */

struct motet_led {
    const char *name; /* "red" */
    unsigned pin;
    bool active_low;
};
bool motet_machine_led(const motet_machine *m, size_t number, struct motet_led *led); /* false past the last */

/* Whether the chip has that serial port. */
bool motet_machine_has_serial(const motet_machine *m, unsigned line);

/* The serial port that the board leads to a computer: 0 but where its table says otherwise (1 on the telosb). */
unsigned motet_machine_terminal(const motet_machine *m);

/* What calls and interrupts put on the stack. */
struct motet_stack_use {
    unsigned return_size; /* bytes of a return address */
    unsigned gap;         /* bytes from where the stack pointer points to what was pushed last */
    unsigned interrupt;   /* bytes that an interrupt pushes after the return address */
    bool linked;          /* calls push nothing, and the stack is set up before the first instruction */
};
struct motet_stack_use motet_machine_stack_use(const motet_machine *m);

/* A code address for a person: "main+0x12 (blink.c:31)". Returns `text`. */
char *motet_machine_place(const motet_machine *m, uint32_t address, char *text, size_t size);

/* ---- the firmware, taken apart ---- */

enum motet_code { MOTET_CODE_ERASED, MOTET_CODE_INSTRUCTION, MOTET_CODE_DATA };

struct motet_instruction {
    enum motet_code kind; /* what the program memory holds there */
    unsigned size;        /* bytes, at least 1 */
    uint8_t bytes[8];
    char text[80];     /* in the assembler's notation; empty where it is erased */
    const char *label; /* the symbol that begins here, or NULL */
    const char *file;  /* the line of source this was made from, or NULL */
    unsigned line;
};

/* The contents of a byte address of program memory; false beyond its end. */
bool motet_machine_instruction(const motet_machine *m, uint32_t address, struct motet_instruction *i);

enum motet_symbol_kind { MOTET_SYMBOL_LABEL, MOTET_SYMBOL_FUNCTION, MOTET_SYMBOL_VARIABLE };

struct motet_symbol {
    const char *name;
    enum motet_symbol_kind kind;
    uint32_t address, size; /* as in the firmware's file */
    bool passage;           /* compiler's code that functions jump to and that jumps back into them: part of each */
};
bool motet_machine_symbol(const motet_machine *m, size_t number, struct motet_symbol *s); /* false past the last */
bool motet_machine_symbol_named(const motet_machine *m, const char *name, struct motet_symbol *s); /* false: none */

/* The firmware's file: its name as it was given, and its bytes as they were when it was loaded. */
const char *motet_machine_path(const motet_machine *m);
const uint8_t *motet_machine_file(const motet_machine *m, size_t *size);

struct motet_firmware {
    const char *built_for;           /* the chip its file names, or NULL */
    uint32_t flash_size, flash_used; /* bytes */
    uint32_t ram_start, ram_size;
    uint32_t ram_used;       /* by variables; 0 too if that is not known */
    const char *ram_used_by; /* what says so: "symbols", "section headers", "start-up code"; NULL: nothing does, and a
                              * stack that overruns variables is not noticed */
    bool has_fuses;
    uint8_t fuses[3], lock; /* extended, high, low, as they will be */
};
void motet_machine_firmware(const motet_machine *m, struct motet_firmware *f);

/* Where a variable lies, for motet_node_peek; false if there is none of that name in RAM. */
bool motet_machine_variable(const motet_machine *m, const char *symbol, uint32_t *address, uint32_t *size);

#include "motet/base/end.h"

#endif
