/* AT45DB041 data flash on MICA2, MICAz and IRIS, by its own pins, or on a shield of an Arduino Uno or Mega, at the pins
 * of SPI, which are not used as such. A page is put together in one of the chip's two buffers, so that no copy of it is needed
 * here and writing one page overlaps programming the one before. */
#include <avr/io.h>

enum { PAGE_BYTES = 264, FLASH_ALL = 2048, PIECE = 16, FLASH_BUFFERS = 2, FLASH_SECTOR = 1 /* pages erased at once */ };
#if defined MOTET_BOARD_MEGA_FLASH /* pins 53 to 50 */
enum { FLASH_CS = 0, FLASH_SO = 3, FLASH_SI = 2, FLASH_SCK = 1 };
#define SELECT_PORT PORTB
#define SELECT_DDR  DDRB
#define BUS_PORT    PORTB
#define BUS_DDR     DDRB
#define BUS_PIN     PINB
#elif defined PORTA
enum { FLASH_CS = 3, FLASH_SO = 2, FLASH_SI = 3, FLASH_SCK = 5 };
#define SELECT_PORT PORTA
#define SELECT_DDR  DDRA
#define BUS_PORT    PORTD
#define BUS_DDR     DDRD
#define BUS_PIN     PIND
#else /* pins 10 to 13 */
enum { FLASH_CS = 2, FLASH_SO = 4, FLASH_SI = 3, FLASH_SCK = 5 };
#define SELECT_PORT PORTB
#define SELECT_DDR  DDRB
#define BUS_PORT    PORTB
#define BUS_DDR     DDRB
#define BUS_PIN     PINB
#endif

struct flash_pins {
    uint8_t select, select_direction, bus, bus_direction;
};

/* Also executed in replay: the registers agree. */
static void flash_pins(void)
{
    SELECT_PORT |= 1 << FLASH_CS;
    SELECT_DDR |= 1 << FLASH_CS;
    BUS_PORT &= (uint8_t) ~(1 << FLASH_SCK | 1 << FLASH_SI);
    BUS_DDR |= 1 << FLASH_SCK | 1 << FLASH_SI;
}

static SMALL void flash_open(struct flash_pins *was)
{
    *was = (struct flash_pins){SELECT_PORT, SELECT_DDR, BUS_PORT, BUS_DDR};
    SELECT_PORT |= 1 << FLASH_CS;
    SELECT_DDR |= 1 << FLASH_CS;
    BUS_PORT &= (uint8_t) ~(1 << FLASH_SCK);
    BUS_DDR = (uint8_t)((BUS_DDR | 1 << FLASH_SCK | 1 << FLASH_SI) & ~(1 << FLASH_SO));
}

static SMALL void flash_close(const struct flash_pins *was)
{
    SELECT_PORT = was->select;
    SELECT_DDR = was->select_direction;
    BUS_PORT = was->bus;
    BUS_DDR = was->bus_direction;
}

/* What a register had before flash_open(). */
static inline uint8_t flash_was(const struct flash_pins *was, uint16_t at, uint16_t value)
{
    if (at == (uint16_t)(uintptr_t)&SELECT_PORT)
        return was->select;
    if (at == (uint16_t)(uintptr_t)&SELECT_DDR)
        return was->select_direction;
    if (at == (uint16_t)(uintptr_t)&BUS_PORT)
        return was->bus;
    return at == (uint16_t)(uintptr_t)&BUS_DDR ? was->bus_direction : (uint8_t)value;
}

/* Somebody else is talking to the chip. */
static uint8_t flash_taken(void)
{
    return !(SELECT_PORT & 1 << FLASH_CS);
}

/* Its pins are shared with nobody who is in a hurry. */
static uint8_t flash_waits(void)
{
    return 0;
}

static uint8_t exchange(uint8_t out)
{
    uint8_t in = 0;
    for (uint8_t bit = 8; bit; bit--) {
        if (out & 0x80)
            BUS_PORT |= 1 << FLASH_SI;
        else
            BUS_PORT &= (uint8_t) ~(1 << FLASH_SI);
        out = (uint8_t)(out << 1);
        in = (uint8_t)(in << 1);
        BUS_PORT |= 1 << FLASH_SCK;
        if (BUS_PIN & 1 << FLASH_SO)
            in |= 1;
        BUS_PORT &= (uint8_t) ~(1 << FLASH_SCK);
    }
    return in;
}

/* Only out, as fast as it goes: the port is ours alone while interrupts are off. */
static void send(uint8_t out)
{
    uint8_t low = BUS_PORT & (uint8_t) ~(1 << FLASH_SCK | 1 << FLASH_SI), high = low | 1 << FLASH_SI;
#define BIT(b)                         \
    BUS_PORT = out & (b) ? high : low; \
    BUS_PORT |= 1 << FLASH_SCK
    BIT(0x80);
    BIT(0x40);
    BIT(0x20);
    BIT(0x10);
    BIT(0x08);
    BIT(0x04);
    BIT(0x02);
    BIT(0x01);
#undef BIT
    BUS_PORT = low;
}

static void command(uint8_t code, uint16_t page, uint16_t byte)
{
    SELECT_PORT &= (uint8_t) ~(1 << FLASH_CS);
    send(code);
    send((uint8_t)(page >> 7));
    send((uint8_t)(page << 1 | byte >> 8));
    send((uint8_t)byte);
}

static SMALL void command_end(void)
{
    SELECT_PORT |= 1 << FLASH_CS;
}

static SMALL uint8_t flash_ready(void)
{
    SELECT_PORT &= (uint8_t) ~(1 << FLASH_CS);
    exchange(0xd7);
    uint8_t status = exchange(0);
    command_end();
    return status & 0x80;
}

/* Then bytes by flash_send(). */
static SMALL void flash_put(uint8_t buffer, uint16_t page, uint16_t at)
{
    (void)page;
    command(buffer ? 0x87 : 0x84, 0, at);
}

#define flash_send send

static void flash_put_end(void)
{
    command_end();
}

static void flash_commit(uint8_t buffer, uint16_t page)
{
    command(buffer ? 0x86 : 0x83, page, 0);
    command_end();
}

static void flash_get(uint16_t page, uint8_t *bytes, uint8_t count)
{
    command(0xd2, page, 0);
    for (uint8_t dummy = 0; dummy < 4; dummy++)
        exchange(0);
    while (count--)
        *bytes++ = exchange(0);
    command_end();
}

/* Programming erases. */
static enum flash_look flash_look(uint16_t page, uint8_t *looked)
{
    (void)page, (void)looked;
    return FLASH_BLANK;
}

static uint8_t flash_is_erased(uint16_t page)
{
    (void)page;
    return 1;
}

static void flash_erase(uint16_t page)
{
    (void)page;
}

static void flash_wake(void) {}
