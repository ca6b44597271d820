/* Start-up, console, printf and the end of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int initialised = 42;
static int cleared;
static char text[64];

int main(void)
{
    int count =
        snprintf(text, sizeof text, "%d %d %5ld|%-4x|%04u|%s", initialised++, cleared++, -123456L, 0xbeefu, 7u, "end");
    puts(text);
    printf("%d %lld %+d %#x %c%%\n", count, -12345678901234LL, 5, 0x1fu, 'z');
    return strcmp(text, "42 0 -123456|beef|0007|end") == 0 && cleared == 1 && initialised == 43 ? 0 : 1;
}
