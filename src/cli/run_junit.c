/* A run as test cases: the run itself, then each check() of its scenario. */
#include <stdio.h>
#include <string.h>

#include "sentence.h"
#include "stage.h"

static const motet_node *run_junit_faulted(const struct stage *s)
{
    for (size_t i = 0; i < motet_network_count(s->network); i++)
        if (motet_node_exit(motet_network_at(s->network, i)) == MOTET_EXIT_FAULT)
            return motet_network_at(s->network, i);
    return NULL;
}

static void run_junit_run(struct stage *s, const struct result *r, size_t in_scenario, int status)
{
    char text[8192];
    const motet_node *faulted = run_junit_faulted(s);
    bool only_checks = status == STATUS_FIRMWARE && in_scenario && r->checks_failed == in_scenario;
    junit_case(s->o->junit, s->o->file, "run", r->wall_seconds);
    if (!status || only_checks)
        return;
    if (faulted) {
        motet_node_explain(faulted, motet_node_fault(faulted), text, sizeof text);
        junit_failure(s->o->junit, "fault", text);
    } else if (r->checks_failed > in_scenario) {
        snprintf(text, sizeof text, "%zu assertions of scripts do not hold", r->checks_failed - in_scenario);
        junit_failure(s->o->junit, "assertion", text);
    } else {
        junit_failure(s->o->junit, "status",
                      r->reason == RUN_TIME ? "the firmware had not ended the run when the time was over"
                                            : "the firmware ended the run with a status other than 0");
    }
    if (s->o->save)
        junit_attach(s->o->junit, s->o->save);
}

bool run_junit_write(struct stage *s, const struct result *r, int status)
{
    struct motet_scenario_checked c;
    size_t failed = 0;
    if (!s->o->junit)
        return true;
    for (size_t i = 0; s->scenario && motet_scenario_checked(s->scenario, i, &c); i++)
        failed += c.failed;
    run_junit_run(s, r, failed, status);
    for (size_t i = 0; s->scenario && motet_scenario_checked(s->scenario, i, &c); i++) {
        char name[512];
        snprintf(name, sizeof name, "%s: %.*s", c.place, (int)strcspn(c.what, "\n"), c.what);
        junit_case(s->o->junit, s->o->file, name, 0);
        if (c.failed)
            junit_failure(s->o->junit, "check", c.sentences);
    }
    return junit_end(&s->o->junit, "motet run", &s->error);
}
