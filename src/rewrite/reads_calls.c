#include "rewrite/reads_calls.h"

#include <string.h>

#include "rewrite/live.h"

bool reads_is_copy(const struct tree_node *call)
{
    static const char *const copying[] = {"memcpy", "memmove", "__builtin_memcpy", "__builtin_memmove", NULL};
    return pass_is_named(call, copying);
}

/* f(to, from, count) that copies what changes: byte by byte through the recorder, so that at no time there is a byte in
 * memory that replay has not. The call's name is left out, its arguments become assignments. */
static void reads_copy(struct pass *p, int node, const char *read, const char *what, const char *why)
{
    static const char *const into[] = {"motet_d=motet_e=(unsigned char*)(", "motet_s=(const volatile unsigned char*)(",
                                       "motet_n=("};
    const struct tree_node *n = tree_at(p->t, node);
    edits_add(&p->edits, n->start, EDIT_OPEN,
              "({unsigned char*motet_d,*motet_e __attribute__((unused));const volatile unsigned char*motet_s;unsigned "
              "motet_n;/*");
    edits_add(&p->edits, tree_at(p->t, n->child)->end, EDIT_CLOSE, "*/");
    for (unsigned i = 0; i < 3; i++) {
        const struct tree_node *argument = tree_at(p->t, tree_child(p->t, node, 1 + i));
        edits_add(&p->edits, argument->start, EDIT_OPEN, "%s", into[i]);
        edits_add(&p->edits, argument->end, EDIT_CLOSE, ")");
    }
    edits_add(&p->edits, n->end, EDIT_CLOSE, ";while(motet_n--)*motet_d++=motet_read8(%s,0xff,%s);%s})", read,
              pass_site(p, node, what, REGISTER_DATA, 0xff, why),
              live_use(p->t, node) == USE_NONE ? "" : "(void*)motet_e;");
}

static void reads_record_result(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    const char *number = pass_site(p, node, n->name, REGISTER_DATA, 0xff, "EEPROM");
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_read8(");
    edits_add(&p->edits, n->end, EDIT_CLOSE, ",0xff,%s)", number);
}

/* avr-libc's functions for values of several bytes, and those that look before they write. */
static const struct eeprom {
    const char *name, *type;
    bool updates;
} eeprom_wide[] = {
    {"eeprom_read_word", "unsigned", false},
    {"eeprom_read_dword", "unsigned long", false},
    {"eeprom_read_float", "float", false},
    {"eeprom_update_byte", "unsigned char", true},
    {"eeprom_update_word", "unsigned", true},
    {"eeprom_update_dword", "unsigned long", true},
    {"eeprom_update_float", "float", true},
    {"eeprom_update_block", "unsigned char", true},
    {NULL, NULL, false},
};

static const struct eeprom *reads_eeprom_named(const char *name)
{
    const struct eeprom *e = eeprom_wide;
    while (e->name && strcmp(e->name, name) != 0)
        e++;
    return e->name ? e : NULL;
}

/* Byte by byte, as the library does it, from the last to the first. */
static void reads_record_eeprom(struct pass *p, int node, const struct eeprom *e)
{
    const struct tree_node *n = tree_at(p->t, node);
    bool block = strcmp(e->name, "eeprom_update_block") == 0;
    static const char *const blocks[] = {"motet_s=(const unsigned char*)(", "motet_e=(unsigned char*)(", "motet_n=("};
    static const char *const values[] = {"motet_e=(unsigned char*)(", "motet_w=("};
    edits_add(&p->edits, n->start, EDIT_OPEN,
              "({%s motet_w;unsigned char*motet_e;%sunsigned char*motet_s=(unsigned char*)&motet_w;unsigned "
              "motet_n=sizeof motet_w;/*",
              e->type, block ? "const " : "");
    edits_add(&p->edits, tree_at(p->t, n->child)->end, EDIT_CLOSE, "*/");
    for (int i = 0, argument; (argument = tree_child(p->t, node, 1 + (unsigned)i)) >= 0 && i < 3; i++) {
        edits_add(&p->edits, tree_at(p->t, argument)->start, EDIT_OPEN, "%s", block ? blocks[i] : values[i % 2]);
        edits_add(&p->edits, tree_at(p->t, argument)->end, EDIT_CLOSE, ")");
    }
    const char *number = pass_site(p, node, n->name, REGISTER_DATA, 0xff, "EEPROM");
    if (e->updates)
        edits_add(&p->edits, n->end, EDIT_CLOSE,
                  ";while(motet_n--)if(motet_read8(eeprom_read_byte(motet_e+motet_n),0xff,%s)!=motet_s[motet_n])"
                  "eeprom_write_byte(motet_e+motet_n,motet_s[motet_n]);})",
                  number);
    else
        edits_add(&p->edits, n->end, EDIT_CLOSE,
                  ";while(motet_n--)motet_s[motet_n]=motet_read8(eeprom_read_byte(motet_e+motet_n),0xff,%s);motet_w;})",
                  number);
}

/* motet_filled(bytes, size), of motet.h. */
static void reads_record_filled(struct pass *p, int node)
{
    const struct tree_node *n = tree_at(p->t, node);
    const char *number = pass_site(p, node, "motet_filled", REGISTER_DATA, 0xff, "the program says so");
    edits_add(&p->edits, n->start, EDIT_OPEN, "motet_block/*");
    edits_add(&p->edits, tree_at(p->t, n->child)->end, EDIT_CLOSE, "*/");
    edits_add(&p->edits, n->end - 1, EDIT_CLOSE, ",%s", number);
}

bool reads_visit_call(struct pass *p, int node)
{
    static const char *const backward[] = {"longjmp", "_longjmp", "__builtin_longjmp", NULL};
    const struct tree_node *n = tree_at(p->t, node);
    if (strcmp(n->name, "__builtin_avr_delay_cycles") == 0) {
        pass_uncounted(p, n->start, n->end);
    } else if (strcmp(n->name, "eeprom_read_byte") == 0) {
        reads_record_result(p, node);
    } else if (strcmp(n->name, "eeprom_read_block") == 0) {
        reads_copy(p, node, "eeprom_read_byte((const unsigned char*)motet_s++)", n->name, "EEPROM");
    } else if (strcmp(n->name, "motet_filled") == 0) {
        reads_record_filled(p, node);
    } else if (reads_eeprom_named(n->name)) {
        reads_record_eeprom(p, node, reads_eeprom_named(n->name));
    } else if (reads_is_copy(n) && address_leads_to_register(p->t, p->o->registers, tree_child(p->t, node, 2))) {
        reads_copy(p, node, "*motet_s++", "*registers", "copied from registers");
    } else if (!p->o->stamp && pass_is_named(n, backward)) { /* a way back that is no loop of the text */
        p->r->steps++;
        edits_add(&p->edits, n->start, EDIT_OPEN, "(motet_far_step(),");
        edits_add(&p->edits, n->end, EDIT_CLOSE, ")");
    }
    return true;
}
