/* usage: slice-accesses TARGET-FILES CHIP FILE... -- OPTION...
 * What the analysis finds that functions can read and write: lines as those of observe.c, and
 *   function FUNCTION
 * for each that can run. */
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"
#include "slice/depend.h"

static void print_access(const struct depend *d, const struct dependence *e)
{
    bool reads = e->kind == DEPEND_READ;
    const struct objects *o = &d->points->o;
    int object = o->cells[(reads ? e->to : e->from) - d->cells].object;
    char name[256];
    if (o->list[object].kind != OBJECT_VARIABLE)
        return;
    ir_name(o->list[object].value, name, sizeof name);
    printf("%s %s %s\n", reads ? "reads" : "writes", d->p->functions[depend_function(d, reads ? e->from : e->to)].name,
           name);
}

int main(int argc, char **argv)
{
    int own = 3;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    struct motet_error e = {""};
    struct ir_input in = {.target_files = argv[1],
                          .chip = argv[2],
                          .files = argv + 3,
                          .file_count = (size_t)(own - 3),
                          .command = argv + own + 1,
                          .command_count = own < argc ? (size_t)(argc - own - 1) : 0};
    LLVMModuleRef module = ir_make(LLVMContextCreate(), &in, &e);
    if (!module || !ir_promote(module, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 2;
    }
    struct program p;
    struct points points;
    struct scheduler s;
    struct depend d;
    program_make(&p, module);
    points_make(&points, &p);
    scheduler_find(&s, &points, NULL);
    depend_make(&d, &points, &s);
    for (size_t i = 0; i < d.edge_count; i++)
        if (d.edges[i].kind == DEPEND_READ || d.edges[i].kind == DEPEND_WRITE)
            print_access(&d, &d.edges[i]);
    for (int f = 0; f < p.function_count; f++)
        if (p.functions[f].is_reachable)
            printf("function %s\n", p.functions[f].name);
    depend_free(&d);
    scheduler_free(&s);
    points_free(&points);
    program_free(&p);
    LLVMDisposeModule(module);
}
