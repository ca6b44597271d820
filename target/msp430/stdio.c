/* A small printf. Everything goes through a sink, which counts what it is given and keeps what fits. */
#include <ctype.h>
#include <motet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sink {
    char *to; /* NULL: putchar */
    size_t size, count;
};

enum { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZERO = 16, UPPER = 32 };

struct conversion {
    uint8_t flags, size; /* size: bytes of the integer */
    int width, precision;
};

__attribute__((weak)) int putchar(int c)
{
    motet_putc((char)c);
    return (unsigned char)c;
}

int puts(const char *s)
{
    while (*s)
        putchar(*s++);
    return putchar('\n');
}

static void put(struct sink *s, char c)
{
    if (!s->to)
        putchar(c);
    else if (s->count + 1 < s->size)
        s->to[s->count] = c;
    s->count++;
}

static void repeat(struct sink *s, char c, int times)
{
    for (; times > 0; times--)
        put(s, c);
}

static void put_text(struct sink *s, const struct conversion *c, const char *text)
{
    int length = (int)strnlen(text, c->precision < 0 ? (size_t)INT16_MAX : (size_t)c->precision);
    if (!(c->flags & LEFT))
        repeat(s, ' ', c->width - length);
    for (int i = 0; i < length; i++)
        put(s, text[i]);
    if (c->flags & LEFT)
        repeat(s, ' ', c->width - length);
}

/* `before` is the sign or 0x, at most two characters. */
static void put_number(struct sink *s, const struct conversion *c, uint64_t value, unsigned base, const char *before)
{
    char digits[22];
    int count = 0, ahead = (int)strlen(before);
    for (; value > UINT32_MAX; value /= base)
        digits[count++] = (char)(value % base);
    for (uint32_t rest = (uint32_t)value; rest; rest /= base)
        digits[count++] = (char)(rest % base);
    int zeros = (c->precision < 0 ? 1 : c->precision) - count;
    if (zeros < 0)
        zeros = 0;
    if (base == 8 && (c->flags & ALTERNATE) && !zeros)
        zeros = 1;
    int padding = c->width - ahead - zeros - count;
    if ((c->flags & (ZERO | LEFT)) == ZERO && c->precision < 0 && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if (!(c->flags & LEFT))
        repeat(s, ' ', padding);
    for (; *before; before++)
        put(s, *before);
    repeat(s, '0', zeros);
    while (count--)
        put(s, "0123456789abcdef0123456789ABCDEF"[digits[count] + (c->flags & UPPER ? 16 : 0)]);
    if (c->flags & LEFT)
        repeat(s, ' ', padding);
}

static int read_count(const char **format, va_list *arguments)
{
    if (**format == '*') {
        ++*format;
        return va_arg(*arguments, int);
    }
    int n = 0;
    while (isdigit(**format))
        n = n * 10 + *(*format)++ - '0';
    return n;
}

static struct conversion read_conversion(const char **format, va_list *arguments)
{
    struct conversion c = {.size = sizeof(int), .precision = -1};
    for (;; ++*format) {
        static const char flags[] = "-+ #0";
        const char *flag = **format ? strchr(flags, **format) : NULL;
        if (!flag)
            break;
        c.flags |= (uint8_t)(1 << (flag - flags));
    }
    c.width = read_count(format, arguments);
    if (c.width < 0) {
        c.width = -c.width;
        c.flags |= LEFT;
    }
    if (**format == '.') {
        ++*format;
        c.precision = read_count(format, arguments);
    }
    for (;; ++*format) {
        if (**format == 'l')
            c.size = c.size == sizeof(long) ? sizeof(long long) : sizeof(long);
        else if (**format == 'h')
            c.size = c.size == sizeof(short) && (*format)[-1] == 'h' ? 1 : sizeof(short);
        else if (**format == 'j')
            c.size = sizeof(long long);
        else if (**format != 'z' && **format != 't')
            return c;
    }
}

static uint64_t read_unsigned(const struct conversion *c, va_list *arguments)
{
    if (c->size == 8)
        return va_arg(*arguments, uint64_t);
    if (c->size == 4)
        return va_arg(*arguments, uint32_t);
    unsigned value = va_arg(*arguments, unsigned);
    return c->size == 1 ? (uint8_t)value : value;
}

static void convert_signed(struct sink *s, const struct conversion *c, va_list *arguments)
{
    uint64_t value = read_unsigned(c, arguments), sign = (uint64_t)1 << (8 * c->size - 1);
    uint8_t negative = (value & sign) != 0;
    if (negative)
        value = (sign << 1) - value; /* two's complement in the size at hand */
    put_number(s, c, value, 10, negative ? "-" : c->flags & PLUS ? "+" : c->flags & SPACE ? " " : "");
}

static void convert(struct sink *s, struct conversion *c, char letter, va_list *arguments)
{
    char one[2] = {letter, 0};
    uint64_t value;
    switch (letter) {
    case 'd':
    case 'i': convert_signed(s, c, arguments); return;
    case 'u': put_number(s, c, read_unsigned(c, arguments), 10, ""); return;
    case 'o': put_number(s, c, read_unsigned(c, arguments), 8, ""); return;
    case 'p': c->flags |= ALTERNATE; __attribute__((fallthrough));
    case 'x':
    case 'X':
        if (letter == 'X')
            c->flags |= UPPER;
        value = read_unsigned(c, arguments);
        put_number(s, c, value, 16, !(c->flags & ALTERNATE) || !value ? "" : letter == 'X' ? "0X" : "0x");
        return;
    case 's': put_text(s, c, va_arg(*arguments, const char *)); return;
    case 'c':
        if (!(c->flags & LEFT))
            repeat(s, ' ', c->width - 1);
        put(s, (char)va_arg(*arguments, int));
        if (c->flags & LEFT)
            repeat(s, ' ', c->width - 1);
        return;
    default: put_text(s, c, one); return;
    }
}

static void format_all(struct sink *s, const char *format, va_list arguments)
{
    va_list rest;
    va_copy(rest, arguments);
    while (*format) {
        if (*format != '%') {
            put(s, *format++);
            continue;
        }
        format++;
        struct conversion c = read_conversion(&format, &rest);
        if (!*format)
            break;
        convert(s, &c, *format++, &rest);
    }
    va_end(rest);
}

int vsnprintf(char *to, size_t size, const char *format, va_list arguments)
{
    char none[1];
    struct sink s = {to ? to : none, size, 0};
    format_all(&s, format, arguments);
    if (size)
        to[s.count < size ? s.count : size - 1] = 0;
    return (int)s.count;
}

int snprintf(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return count;
}

int sprintf(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(to, INT16_MAX, format, arguments);
    va_end(arguments);
    return count;
}

int vprintf(const char *format, va_list arguments)
{
    struct sink s = {0};
    format_all(&s, format, arguments);
    return (int)s.count;
}

int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vprintf(format, arguments);
    va_end(arguments);
    return count;
}
