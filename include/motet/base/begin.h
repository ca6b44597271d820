/* Before the functions of a public header: they are C's, and a shared library shows them. No guard: each header
 * includes it, and motet/base/end.h after them. */
#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)
