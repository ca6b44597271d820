/* Counts for ever, and never sleeps. */
static volatile unsigned count;

int main(void)
{
    for (;;)
        count++;
}
