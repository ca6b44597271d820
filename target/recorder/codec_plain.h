/* The plain codec: events as they are. The largest, and the easiest to trust. */
enum { CODEC_MOST = UNIT };

static void codec_begin(void)
{
    R.behind = R.block = 0;
}

static void out_word(uint16_t word)
{
    out((uint8_t)word);
    out((uint8_t)(word >> 8));
}

/* Units that belong to the one that begins an event. */
static uint16_t behind(const uint16_t *unit)
{
    switch (unit[0] >> 8) {
    case EVENT_LIBRARY: return 2;
    case EVENT_INTERRUPT:
    case EVENT_BLOCK: return 1;
    default: return 0;
    }
}

static void codec_unit(void)
{
    uint16_t *unit = oldest();
    if (R.behind) {
        R.behind--;
        if (R.block)
            R.behind = (unit[0] + UNIT - 1) / UNIT; /* its bytes */
        R.block = 0;
    } else if (unit[0] >> 8 == EVENT_AGAIN) {
        out_word(R.last[0]);
        out_word(++R.last[1]);
        if (!(uint8_t)--unit[0])
            R.fill -= UNIT;
        return;
    } else {
        R.last[0] = unit[0];
        R.last[1] = unit[1];
        R.behind = behind(unit);
        R.block = unit[0] >> 8 == EVENT_BLOCK;
    }
    out_word(unit[0]);
    out_word(unit[1]);
    R.fill -= UNIT;
}

static void codec_flush(void) {}
