/* A loop of which debug information says nothing, in a firmware that has some. */
void spin(void);

__asm__(".text\n"
        ".global spin\n"
        ".type spin, @function\n"
        "spin:\n"
        "    nop\n"
        "    rjmp spin\n"
        ".size spin, . - spin\n");

int main(void)
{
    spin();
    return 0;
}
