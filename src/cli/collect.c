/* motet collect: a log out of a flash memory's contents. */
#include <stdio.h>
#include <stdlib.h>

#include "amount.h"
#include "motet/record.h"
#include "option.h"
#include "sentence.h"

struct collect_options {
    const char *output;
    uint64_t page_size;
    bool json;
};

static bool set_output(void *into, const char *text, struct motet_error *e)
{
    (void)e;
    ((struct collect_options *)into)->output = text;
    return true;
}

static bool set_page_size(void *into, const char *text, struct motet_error *e)
{
    return amount_number(text, 4096, &((struct collect_options *)into)->page_size, e);
}

static bool set_json(void *into, const char *text, struct motet_error *e)
{
    (void)text, (void)e;
    return ((struct collect_options *)into)->json = true;
}

static const struct option options[] = {
    {"output", "LOG", "writes the whole pages, in order, to this file", set_output},
    {"page-size", "BYTES", "of the flash memory's pages; found out by default", set_page_size},
    {"json", NULL, "prints what there is as one line of JSON", set_json},
    {NULL, NULL, NULL, NULL},
};

static void print_json(const motet_log *l)
{
    struct motet_log_info info;
    struct motet_log_part p;
    motet_log_info(l, &info);
    printf("{\"page_size\": %u, \"pages\": %u, \"damaged\": %u, \"blank\": %u, \"parts\": [", info.page_size,
           info.pages, info.damaged, info.blank);
    for (size_t i = 0; motet_log_part(l, i, &p); i++)
        printf(
            "%s{\"part\": %zu, \"start\": %u, \"build\": \"%04x\", \"codec\": \"%s\", \"pages\": %u, \"bytes\": %zu, "
            "\"beyond\": %u}",
            i ? ", " : "", i, p.number, p.build, p.codec, p.pages, p.bytes, p.beyond);
    printf("]}\n");
}

static void print(const motet_log *l)
{
    struct motet_log_info info;
    struct motet_log_part p;
    motet_log_info(l, &info);
    printf("%u pages of %u bytes, %u damaged, %u blank\n", info.pages, info.page_size, info.damaged, info.blank);
    for (size_t i = 0; motet_log_part(l, i, &p); i++) {
        printf("part %zu: start %u of build %04x, codec %s, %u pages, %zu bytes", i, p.number, p.build, p.codec,
               p.pages, p.bytes);
        if (!p.pages)
            printf("; its beginning is lost, so its %u pages are no use", p.beyond);
        else if (p.beyond)
            printf("; then a page is lost, so %u more are no use", p.beyond);
        printf("\n");
    }
}

static int run(const struct verb *v, int argc, char **argv)
{
    struct collect_options o = {.output = NULL};
    struct motet_error e = {""};
    const char *file;
    int status;
    if (!options_parse(v, argc, argv, &o, &file, 1, &status))
        return status;
    motet_log *l = motet_log_load(file, (unsigned)o.page_size, &e);
    if (!l)
        return complain("%s", e.text);
    if (o.output && !motet_log_save(l, o.output, &e)) {
        motet_log_free(l);
        return complain("%s", e.text);
    }
    if (o.json)
        print_json(l);
    else
        print(l);
    motet_log_free(l);
    return 0;
}

extern const struct verb verb_collect;
const struct verb verb_collect = {
    .name = "collect",
    .operands = "FLASH",
    .about = "take a log out of the contents of a flash memory",
    .more = "FLASH is what was read from the flash memory of a node whose firmware records (motet cc), or from a "
            "simulated one (motet run --keep-flash), or a log. Prints the parts there are, one for each start of the "
            "firmware, and what is damaged or missing.",
    .options = options,
    .run = run,
};
