#include "isa/avr/disassemble.h"

#include <stdio.h>

#include "isa/avr/code.h"

/* What the opcode bits under `mask` say, in avr-objdump's words; letters after % stand for operands (see operand()).
 * The first line that fits is taken, so the special stands before the general. Instructions of XMEGA cores, which
 * fault on the chips here, are named all the same. */
struct spelling {
    uint16_t mask, bits;
    const char *text;
};

static const struct spelling spellings[] = {
    {0xffff, 0x0000, "nop"},           {0xff00, 0x0100, "movw %p, %s"},  {0xff00, 0x0200, "muls %D, %M"},
    {0xff88, 0x0300, "mulsu %m, %n"},  {0xff88, 0x0308, "fmul %m, %n"},  {0xff88, 0x0380, "fmuls %m, %n"},
    {0xff88, 0x0388, "fmulsu %m, %n"},

    {0xfc00, 0x0400, "cpc %d, %r"},    {0xfc00, 0x0800, "sbc %d, %r"},   {0xfc00, 0x0c00, "add %d, %r"},
    {0xfc00, 0x1000, "cpse %d, %r"},   {0xfc00, 0x1400, "cp %d, %r"},    {0xfc00, 0x1800, "sub %d, %r"},
    {0xfc00, 0x1c00, "adc %d, %r"},    {0xfc00, 0x2000, "and %d, %r"},   {0xfc00, 0x2400, "eor %d, %r"},
    {0xfc00, 0x2800, "or %d, %r"},     {0xfc00, 0x2c00, "mov %d, %r"},   {0xfc00, 0x9c00, "mul %d, %r"},

    {0xf000, 0x3000, "cpi %D, %K"},    {0xf000, 0x4000, "sbci %D, %K"},  {0xf000, 0x5000, "subi %D, %K"},
    {0xf000, 0x6000, "ori %D, %K"},    {0xf000, 0x7000, "andi %D, %K"},  {0xf000, 0xe000, "ldi %D, %K"},
    {0xff00, 0x9600, "adiw %w, %k"},   {0xff00, 0x9700, "sbiw %w, %k"},

    {0xfe0f, 0x8000, "ld %d, Z"},      {0xfe0f, 0x8008, "ld %d, Y"},     {0xfe0f, 0x8200, "st Z, %d"},
    {0xfe0f, 0x8208, "st Y, %d"},      {0xd208, 0x8000, "ldd %d, Z+%q"}, {0xd208, 0x8008, "ldd %d, Y+%q"},
    {0xd208, 0x8200, "std Z+%q, %d"},  {0xd208, 0x8208, "std Y+%q, %d"},

    {0xfe0f, 0x9000, "lds %d, %x"},    {0xfe0f, 0x9001, "ld %d, Z+"},    {0xfe0f, 0x9002, "ld %d, -Z"},
    {0xfe0f, 0x9004, "lpm %d, Z"},     {0xfe0f, 0x9005, "lpm %d, Z+"},   {0xfe0f, 0x9006, "elpm %d, Z"},
    {0xfe0f, 0x9007, "elpm %d, Z+"},   {0xfe0f, 0x9009, "ld %d, Y+"},    {0xfe0f, 0x900a, "ld %d, -Y"},
    {0xfe0f, 0x900c, "ld %d, X"},      {0xfe0f, 0x900d, "ld %d, X+"},    {0xfe0f, 0x900e, "ld %d, -X"},
    {0xfe0f, 0x900f, "pop %d"},        {0xfe0f, 0x9200, "sts %x, %d"},   {0xfe0f, 0x9201, "st Z+, %d"},
    {0xfe0f, 0x9202, "st -Z, %d"},     {0xfe0f, 0x9204, "xch Z, %d"},    {0xfe0f, 0x9205, "las Z, %d"},
    {0xfe0f, 0x9206, "lac Z, %d"},     {0xfe0f, 0x9207, "lat Z, %d"},    {0xfe0f, 0x9209, "st Y+, %d"},
    {0xfe0f, 0x920a, "st -Y, %d"},     {0xfe0f, 0x920c, "st X, %d"},     {0xfe0f, 0x920d, "st X+, %d"},
    {0xfe0f, 0x920e, "st -X, %d"},     {0xfe0f, 0x920f, "push %d"},

    {0xffff, 0x9408, "sec"},           {0xffff, 0x9418, "sez"},          {0xffff, 0x9428, "sen"},
    {0xffff, 0x9438, "sev"},           {0xffff, 0x9448, "ses"},          {0xffff, 0x9458, "seh"},
    {0xffff, 0x9468, "set"},           {0xffff, 0x9478, "sei"},          {0xffff, 0x9488, "clc"},
    {0xffff, 0x9498, "clz"},           {0xffff, 0x94a8, "cln"},          {0xffff, 0x94b8, "clv"},
    {0xffff, 0x94c8, "cls"},           {0xffff, 0x94d8, "clh"},          {0xffff, 0x94e8, "clt"},
    {0xffff, 0x94f8, "cli"},           {0xffff, 0x9409, "ijmp"},         {0xffff, 0x9419, "eijmp"},
    {0xffff, 0x9508, "ret"},           {0xffff, 0x9509, "icall"},        {0xffff, 0x9518, "reti"},
    {0xffff, 0x9519, "eicall"},        {0xffff, 0x9588, "sleep"},        {0xffff, 0x9598, "break"},
    {0xffff, 0x95a8, "wdr"},           {0xffff, 0x95c8, "lpm"},          {0xffff, 0x95d8, "elpm"},
    {0xffff, 0x95e8, "spm"},           {0xffff, 0x95f8, "spm Z+"},       {0xff0f, 0x940b, "des %e"},

    {0xfe0f, 0x9400, "com %d"},        {0xfe0f, 0x9401, "neg %d"},       {0xfe0f, 0x9402, "swap %d"},
    {0xfe0f, 0x9403, "inc %d"},        {0xfe0f, 0x9405, "asr %d"},       {0xfe0f, 0x9406, "lsr %d"},
    {0xfe0f, 0x9407, "ror %d"},        {0xfe0f, 0x940a, "dec %d"},       {0xfe0e, 0x940c, "jmp %J"},
    {0xfe0e, 0x940e, "call %J"},

    {0xff00, 0x9800, "cbi %A, %b"},    {0xff00, 0x9900, "sbic %A, %b"},  {0xff00, 0x9a00, "sbi %A, %b"},
    {0xff00, 0x9b00, "sbis %A, %b"},   {0xf800, 0xb000, "in %d, %a"},    {0xf800, 0xb800, "out %a, %d"},

    {0xf000, 0xc000, "rjmp %j"},       {0xf000, 0xd000, "rcall %j"},     {0xfc07, 0xf000, "brcs %B"},
    {0xfc07, 0xf001, "breq %B"},       {0xfc07, 0xf002, "brmi %B"},      {0xfc07, 0xf003, "brvs %B"},
    {0xfc07, 0xf004, "brlt %B"},       {0xfc07, 0xf005, "brhs %B"},      {0xfc07, 0xf006, "brts %B"},
    {0xfc07, 0xf007, "brie %B"},       {0xfc07, 0xf400, "brcc %B"},      {0xfc07, 0xf401, "brne %B"},
    {0xfc07, 0xf402, "brpl %B"},       {0xfc07, 0xf403, "brvc %B"},      {0xfc07, 0xf404, "brge %B"},
    {0xfc07, 0xf405, "brhc %B"},       {0xfc07, 0xf406, "brtc %B"},      {0xfc07, 0xf407, "brid %B"},
    {0xfe08, 0xf800, "bld %d, %b"},    {0xfe08, 0xfa00, "bst %d, %b"},   {0xfe08, 0xfc00, "sbrc %d, %b"},
    {0xfe08, 0xfe00, "sbrs %d, %b"},
};

static int avr_disassemble_operand(char letter, uint16_t o, uint16_t next, char *text, size_t size)
{
    unsigned d = (o >> 4) & 31, r = (o & 15) | ((o >> 5) & 16);
    switch (letter) {
    case 'd': return snprintf(text, size, "r%u", d);
    case 'r': return snprintf(text, size, "r%u", r);
    case 'D': return snprintf(text, size, "r%u", 16 + (d & 15));
    case 'M': return snprintf(text, size, "r%u", 16 + (r & 15));
    case 'm': return snprintf(text, size, "r%u", 16 + (d & 7));
    case 'n': return snprintf(text, size, "r%u", 16 + (r & 7));
    case 'p': return snprintf(text, size, "r%u", 2 * (d & 15));
    case 's': return snprintf(text, size, "r%u", 2 * (r & 15));
    case 'w': return snprintf(text, size, "r%u", 24 + 2 * (d & 3));
    case 'K': return snprintf(text, size, "0x%02X", (o & 15) | ((o >> 4) & 0xf0));
    case 'k': return snprintf(text, size, "0x%02x", (o & 15) | ((o >> 2) & 0x30));
    case 'q': return snprintf(text, size, "%u", (o & 7) | ((o >> 7) & 0x18) | ((o >> 8) & 0x20));
    case 'a': return snprintf(text, size, "0x%02x", (o & 15) | ((o >> 5) & 0x30));
    case 'A': return snprintf(text, size, "0x%02x", (o >> 3) & 31);
    case 'b': return snprintf(text, size, "%u", o & 7);
    case 'e': return snprintf(text, size, "%u", d & 15);
    case 'x': return snprintf(text, size, "0x%04X", next);
    case 'J': return snprintf(text, size, "%#x", 2 * ((((o >> 3) & 0x3eu) | (o & 1u)) << 16 | next));
    case 'j': return snprintf(text, size, ".%+d", 2 * ((o & 0x7ff) - (o & 0x800)));
    default: return snprintf(text, size, ".%+d", 2 * (((o >> 3) & 0x3f) - ((o >> 3) & 0x40))); /* 'B' */
    }
}

static const char *spelling_of(uint16_t o)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if ((o & spellings[i].mask) == spellings[i].bits)
            return spellings[i].text;
    return NULL;
}

unsigned avr_disassemble(const uint8_t *code, size_t size, uint32_t at, char *text, size_t text_size)
{
    (void)at; /* targets are relative, as in avr-objdump's operands */
    if (size < 2)
        return 0;
    uint16_t o = (uint16_t)(code[0] | code[1] << 8), next = 0;
    unsigned words = avr_words(o);
    const char *spelling = spelling_of(o);
    if (!spelling || 2 * words > size) {
        snprintf(text, text_size, ".word 0x%04x", o);
        return 2;
    }
    if (words == 2)
        next = (uint16_t)(code[2] | code[3] << 8);
    char line[32];
    size_t length = 0;
    for (const char *s = spelling; *s; s++) {
        if (*s == '%')
            length += (size_t)avr_disassemble_operand(*++s, o, next, line + length, sizeof line - length);
        else
            line[length++] = *s;
    }
    line[length] = 0;
    snprintf(text, text_size, "%s", line);
    return 2 * words;
}
