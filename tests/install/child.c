/* motet_cc runs its command in a child: its caller is still there afterwards, with the command's status. */
#include <motet/cc.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct motet_error e;
    int status = -1;
    if (!motet_cc(&(struct motet_cc){.board = "micaz"}, argv + 1, (size_t)argc - 1, &status, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 2;
    }
    printf("still here, status %d\n", status);
    return 0;
}
