#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX     0x7fff

_Noreturn void exit(int status);
_Noreturn void _exit(int status);
_Noreturn void abort(void); /* exits with status 134 */
int abs(int a);
long labs(long a);
int atoi(const char *s);
long atol(const char *s);
int rand(void);
void srand(unsigned seed);

/* Number to text, as in avr-libc: base 2 to 36; `to` must be large enough. */
char *itoa(int value, char *to, int base);
char *utoa(unsigned value, char *to, int base);
char *ltoa(long value, char *to, int base);
char *ultoa(unsigned long value, char *to, int base);

#endif
