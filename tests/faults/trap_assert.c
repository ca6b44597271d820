/* An assertion that fails, in the form of avr-libc's that says so on the error stream. */
#define __ASSERT_USE_STDERR
#include <assert.h>

static volatile int members = 3;

int main(void)
{
    assert(members == 4);
    return 0;
}
