/* Sends back what it receives, in capitals, until a full stop. */
#include <ctype.h>

#include "serial.h"

int main(void)
{
    serial_begin();
    serial_print("> ");
    for (;;) {
        char c = serial_get();
        serial_put((char)toupper(c));
        if (c == '.')
            return 0;
    }
}
