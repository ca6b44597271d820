/* The bits codec, by the tests of the motet codec. */
#define TEST_BITS
#include "codec_motet.c" /* NOLINT(bugprone-suspicious-include): the same tests of another codec */
