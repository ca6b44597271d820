/* How much of a long test the sanitizer build runs. The normal build compares every value; the sanitizers look for
 * accesses and arithmetic that are wrong, and a part of the values reaches the same code. */
#ifndef TESTS_UNIT_SANITIZED_H
#define TESTS_UNIT_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED_SHARE = 5 /* one of so many, odd: values of every residue */ };
#else
enum { SANITIZED_SHARE = 1 };
#endif

#endif
