/* An index beyond its array, which the checked build does not let pass. */
static volatile int values[4];
static volatile unsigned char at = 4;

int main(void)
{
    return values[at];
}
