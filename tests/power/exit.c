/* The firmware decides the exit status, and what stands on the console. */
#include <motet.h>

int main(void)
{
    if (!motet_present())
        for (;;)
            ;
    motet_puts("going\n");
    motet_exit(42);
}
