#include "parts.h"

#include <inttypes.h>
#include <stdio.h>

void parts_print_json(const motet_log *l)
{
    struct motet_log_info info;
    struct motet_log_part p;
    motet_log_info(l, &info);
    printf("{\"page_size\": %u, \"pages\": %u, \"damaged\": %u, \"blank\": %u, \"former\": %u, \"missing\": %u, "
           "\"overwritten\": %" PRIu32 ", \"begin\": %zu, \"parts\": [",
           info.page_size, info.pages, info.damaged, info.blank, info.former, info.missing, info.before,
           motet_log_begin(l));
    for (size_t i = 0; motet_log_part(l, i, &p); i++) {
        printf("%s{\"part\": %zu, \"start\": %u, \"build\": \"%016" PRIx64
               "\", \"codec\": \"%s\", \"pages\": %u, \"bytes\": %zu, "
               "\"beyond\": %u, \"checkpoint\": %u, \"usable\": %s, \"gap\": %s, \"reset\": %s, \"frozen\": %s",
               i ? ", " : "", i, p.number, p.build, p.codec, p.pages, p.bytes, p.beyond, p.checkpoint,
               p.usable ? "true" : "false", p.gap ? "true" : "false", p.reset ? "true" : "false",
               p.frozen ? "true" : "false");
        if (p.next != MOTET_NO_PART)
            printf(", \"next\": %ld", p.next);
        printf("}");
    }
    printf("]}\n");
}

static void print_end(const struct motet_log_part *p)
{
    if (p->beyond && p->pages)
        printf("; then a page is lost, so %u more cannot be used", p->beyond);
    else if (p->gap)
        printf("; then something was lost: the recorder's memory was full");
    else if (p->reset)
        printf("; then the node was reset");
    else if (p->frozen)
        printf("; then it was frozen");
    else if (p->next != MOTET_NO_PART)
        printf("; goes on in part %ld", p->next);
}

static void print_part(size_t number, const struct motet_log_part *p)
{
    printf("part %zu: number %u of build %016" PRIx64 ", codec %s, from %s", number, p->number, p->build, p->codec,
           p->checkpoint ? "a checkpoint" : "the start");
    if (p->checkpoint)
        printf(" of %u pages", p->checkpoint);
    printf(", %u pages, %zu bytes", p->pages, p->bytes);
    if (p->usable)
        print_end(p);
    else if (p->checkpoint)
        printf("; its checkpoint is not whole, so it cannot be used");
    else
        printf("; its beginning is lost, so its %u pages cannot be used", p->beyond);
    printf("\n");
}

void parts_print(const motet_log *l)
{
    struct motet_log_info info;
    struct motet_log_part p;
    motet_log_info(l, &info);
    printf("%u pages of %u bytes, %u damaged, %u blank", info.pages, info.page_size, info.damaged, info.blank);
    if (info.former)
        printf(", %u in the format of an earlier Motet, left out", info.former);
    if (info.missing)
        printf("; %u are missing between them", info.missing);
    if (info.before)
        printf("; %" PRIu32 " older ones were overwritten", info.before);
    printf("\n");
    for (size_t i = 0; motet_log_part(l, i, &p); i++)
        print_part(i, &p);
}
