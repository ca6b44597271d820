#include "flash.h"

#include "checkpoint.h"
#include "recorder.h"

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

PRIVATE void flash_pins(void)
{
    SELECT_PORT |= 1 << FLASH_CS;
    SELECT_DDR |= 1 << FLASH_CS;
    BUS_PORT &= (uint8_t) ~(1 << FLASH_SCK | 1 << FLASH_SI);
    BUS_DDR |= 1 << FLASH_SCK | 1 << FLASH_SI;
}

static inline void flash_open(struct flash_pins *was)
{
    *was = (struct flash_pins){SELECT_DDR, SELECT_PORT, BUS_DDR, BUS_PORT};
    SELECT_PORT |= 1 << FLASH_CS;
    SELECT_DDR |= 1 << FLASH_CS;
    BUS_PORT &= (uint8_t) ~(1 << FLASH_SCK);
    BUS_DDR = (uint8_t)((BUS_DDR | 1 << FLASH_SCK | 1 << FLASH_SI) & ~(1 << FLASH_SO));
}

static inline void flash_close(const struct flash_pins *was)
{
    SELECT_PORT = was->select;
    SELECT_DDR = was->select_direction;
    BUS_PORT = was->bus;
    BUS_DDR = was->bus_direction;
}

PRIVATE SMALL void flash_borrow(void)
{
    flash_open(&R.pins);
}

PRIVATE SMALL void flash_return(void)
{
    flash_close(&R.pins);
}

#ifndef MOTET_NO_CHECKPOINT
/* A port's two are neighbours on all these chips. */
PRIVATE void flash_save_pins(const struct flash_pins *was)
{
    checkpoint_bytes((uint16_t)(uintptr_t)&SELECT_DDR, &was->select_direction, 2);
    checkpoint_bytes((uint16_t)(uintptr_t)&BUS_DDR, &was->bus_direction, 2);
}
#endif

/* The application is talking to the chip, or on an Arduino has turned SPI on, which takes the bus from its port. */
PRIVATE uint8_t flash_taken(void)
{
#if defined MOTET_BOARD_MEGA_FLASH || !defined PORTA
    if (SPCR & 1 << SPE)
        return 1;
#endif
    return !(SELECT_PORT & 1 << FLASH_CS);
}

/* Its pins are shared with nothing that is in a hurry. */
PRIVATE uint8_t flash_waits(void)
{
    return 0;
}

/* Bytes that nothing comes back for are most of them. Interrupts are off: nothing else changes the port meanwhile. */
#define BIT(number)                          \
    "bst %[byte], " #number "\n\t"           \
    "bld %[port], %[si]\n\t"                 \
    "out %[at], %[port]\n\t" /* SCK falls */ \
    "sbi %[at], %[sck]\n\t"
#define BUS [at] "I"(_SFR_IO_ADDR(BUS_PORT)), [si] "n"(FLASH_SI), [sck] "n"(FLASH_SCK)
PRIVATE SMALL void flash_send_all(const uint8_t *from, uint8_t count)
{
    uint8_t port = BUS_PORT, byte;
    __asm__ volatile("1:\n\tld %[byte], %a[from]+\n\t" BIT(7) BIT(6) BIT(5) BIT(4) BIT(3) BIT(2) BIT(1)
                         BIT(0) "dec %[count]\n\tbrne 1b\n\tcbi %[at], %[sck]"
                     : [byte] "=&r"(byte), [port] "+r"(port), [from] "+e"(from), [count] "+r"(count)
                     : BUS
                     : "memory");
}

#undef BUS
#undef BIT

/* A command on its way; the recorder's own memory is in this section (memory.S). */
static uint8_t flash_bytes[4] __attribute__((section(".noinit")));

PRIVATE SMALL void flash_send(uint8_t byte)
{
    flash_bytes[0] = byte;
    flash_send_all(flash_bytes, 1);
}

/* A byte out at the top, and one in at the bottom. */
PRIVATE SMALL uint8_t flash_exchange(uint8_t byte)
{
    for (uint8_t bit = 8; bit; bit--) {
        BUS_PORT &= (uint8_t) ~(1 << FLASH_SI);
        if (byte & 0x80)
            BUS_PORT |= 1 << FLASH_SI;
        byte = (uint8_t)(byte << 1);
        BUS_PORT |= 1 << FLASH_SCK;
        if (BUS_PIN & 1 << FLASH_SO)
            byte |= 1;
        BUS_PORT &= (uint8_t) ~(1 << FLASH_SCK);
    }
    return byte;
}

static SMALL void flash_command(uint8_t code, uint16_t page, uint16_t byte)
{
    flash_bytes[0] = code;
    flash_bytes[1] = (uint8_t)(page >> 7);
    flash_bytes[2] = (uint8_t)(page << 1 | byte >> 8);
    flash_bytes[3] = (uint8_t)byte;
    SELECT_PORT &= (uint8_t) ~(1 << FLASH_CS);
    flash_send_all(flash_bytes, sizeof flash_bytes);
}

PRIVATE SMALL void flash_end(void)
{
    SELECT_PORT |= 1 << FLASH_CS;
}

PRIVATE SMALL uint8_t flash_ready(void)
{
    SELECT_PORT &= (uint8_t) ~(1 << FLASH_CS);
    flash_exchange(0xd7);
    uint8_t status = flash_exchange(0);
    flash_end();
    return status & 0x80;
}

PRIVATE SMALL void flash_put(uint8_t buffer, uint16_t page, uint16_t at)
{
    (void)page;
    flash_command(buffer ? 0x87 : 0x84, 0, at);
}

PRIVATE void flash_put_end(void)
{
    flash_end();
}

PRIVATE void flash_commit(uint8_t buffer, uint16_t page)
{
    flash_command(buffer ? 0x86 : 0x83, page, 0);
    flash_end();
}

PRIVATE SMALL void flash_read(uint16_t page)
{
    flash_command(0xd2, page, 0);
    flash_send_all(flash_bytes, 4); /* whatever they are */
}

/* Programming does that. */
PRIVATE void flash_erase(uint16_t page)
{
    (void)page;
}
