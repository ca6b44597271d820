/* Where the IR of a firmware comes from.
 *
 * The sources come in one of three ways: a compiler's command (avr-gcc -mmcu=atmega128 ... a.c b.c); files with options
 * alone, for a chip; a compilation database, as CMake, arduino-cli and bear write it. Files that end in .bc or .ll are
 * taken as they are. Assembly is left out: its functions are only declared. This header needs no LLVM.
 */
#ifndef IR_INPUT_H
#define IR_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct ir_input {
    char **files; /* sources, beside those of the command */
    size_t file_count;
    char **command; /* a compiler's command, or options alone: those begin with - */
    size_t command_count;
    const char *database;     /* a compilation database, NULL: none */
    const char *chip;         /* for files with options alone, NULL: none */
    const char *target_files; /* the folder target/ with headers for firmware */
    bool all_variables;       /* also those that no code uses */
    bool undefined;           /* code calls __ubsan_handle_* where it does what C leaves undefined */
};

#endif
