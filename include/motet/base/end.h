/* Ends what motet/base/begin.h began. */
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
