#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#include <stdlib.h>
#define assert(condition) ((condition) ? (void)0 : abort())
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
