/* Printing only, without floating point: flags - + space # 0, width, precision, hh h l ll z, and d i u x X o c s p %.
 */
#ifndef STDIO_H
#define STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

/* Goes to Motet's debug console; a firmware that has a better place defines its own. */
int putchar(int c);
int puts(const char *s);
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int vprintf(const char *format, va_list arguments);
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *to, size_t size, const char *format, va_list arguments);
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
