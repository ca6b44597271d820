/* The plain codec: events as they are. The largest, and the easiest to trust. */
enum { CODEC_MOST = UNIT };

static void codec_begin(void) {}

static void codec_unit(void)
{
    const uint16_t *unit = oldest();
    for (uint8_t i = 0; i < 2; i++) {
        out((uint8_t)unit[i]);
        out((uint8_t)(unit[i] >> 8));
    }
    R.fill -= UNIT;
}

static void codec_flush(void) {}
