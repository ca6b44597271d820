/* Check sums with published values for "123456789". */
#include <stdint.h>
#include <util/crc16.h>

static const char text[] = "123456789";

static uint32_t crc32(void)
{
    uint32_t crc = 0xffffffff;
    for (uint8_t i = 0; i < sizeof text - 1; i++) {
        crc ^= (uint8_t)text[i];
        for (uint8_t bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

int main(void)
{
    uint16_t modbus = 0xffff, xmodem = 0, kermit = 0;
    uint8_t wire = 0;
    for (uint8_t i = 0; i < sizeof text - 1; i++) {
        modbus = _crc16_update(modbus, (uint8_t)text[i]);
        xmodem = _crc_xmodem_update(xmodem, (uint8_t)text[i]);
        kermit = _crc_ccitt_update(kermit, (uint8_t)text[i]);
        wire = _crc_ibutton_update(wire, (uint8_t)text[i]);
    }
    if (crc32() != 0xcbf43926)
        return 1;
    if (modbus != 0x4b37 || xmodem != 0x31c3 || kermit != 0x2189)
        return 2;
    return wire == 0xa1 ? 0 : 3;
}
