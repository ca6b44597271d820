/* Figure 2 of "A dependence-based multi-level tracing": inv uses a value that f3 has written and one that f4 has. */
volatile unsigned char expr1;
static int a, b, elsewhere;

void Inv_fun(void)
{
    if (a + b > 100)
        __builtin_trap();
}

static void f3(void)
{
    a++;
    Inv_fun();
}

static void f4(void)
{
    b++;
}

static void f1(void)
{
    f3();
    f4();
    Inv_fun();
}

static void f2(void)
{
    f3();
}

static void f0(void)
{
    if (expr1)
        f1();
    else
        f2();
}

static void unrelated(void)
{
    elsewhere++;
}

int main(void)
{
    for (;;) {
        f0();
        unrelated();
    }
}
