/* Toggles a pin of port D and writes a cell of memory, as fast as it goes. */
#include <avr/io.h>

volatile unsigned char cells[1200];

int main(void)
{
    DDRD = 1 << PIN;
    for (unsigned char i = 0;; i++) {
        PIND = 1 << PIN;
        cells[i & 7] = i;
    }
}
