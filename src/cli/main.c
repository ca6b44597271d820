#include <stdio.h>

int main(void)
{
    puts("motet " MOTET_VERSION);
    return 0;
}
