/* The program: finds the verb and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commit.h"
#include "option.h"
#include "sentence.h"

/* Every `const struct verb` of this folder, by name (scripts/list-of). */
#define LISTED(name) extern const struct verb name;
#include "verbs.list"
#undef LISTED

#define LISTED(name) &name,
const struct verb *const verbs[] = {
#include "verbs.list"
    NULL,
};

const struct verb *verb_named(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

static int unknown_verb(const char *name)
{
    const char *near = NULL;
    for (size_t i = 0; verbs[i]; i++)
        near = motet_word_nearer(name, near, verbs[i]->name);
    if (name[0] == '-')
        return complain("there is no option '%s' before a verb; see motet --help", name);
    if (near)
        return complain("there is no verb '%s'; did you mean motet %s?", name, near);
    return complain("there is no verb '%s'; see motet --help", name);
}

/* A file opened later must not become standard output by accident. */
static void open_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", fd ? O_RDONLY : O_WRONLY); /* the wrong way round, so that using it is an error */
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        verb_help.run(&verb_help, 0, NULL);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts("motet " MOTET_VERSION " (" MOTET_COMMIT ")");
        return 0;
    }
    bool help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    const struct verb *v = verb_named(help ? "help" : argv[1]);
    return v ? v->run(v, argc - 2, argv + 2) : unknown_verb(argv[1]);
}

int main(int argc, char **argv)
{
    open_standard_files();
    int status = dispatch(argc, argv);
    bool unwritten = ferror(stdout);
    if ((fflush(stdout) != 0 || unwritten) && errno != EPIPE)
        return complain("cannot write to standard output: %s", strerror(errno));
    return status;
}
