/* The plain codec: events as they are. The largest, and the easiest to trust. */
static uint8_t codec_take(uint8_t *bytes, uint8_t most)
{
    const uint16_t *unit;
    uint8_t count = 0;
    for (; count + UNIT <= most && (unit = oldest()); R.fill -= UNIT)
        for (uint8_t i = 0; i < 2; i++) {
            bytes[count++] = (uint8_t)unit[i];
            bytes[count++] = (uint8_t)(unit[i] >> 8);
        }
    return count;
}
