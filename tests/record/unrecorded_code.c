/* Code that is compiled without motet cc: CASE says in which way it reads what the log cannot have. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern uint8_t packet[16];
extern volatile uint16_t ticks;
uint16_t get(uint16_t turn);

#ifdef __AVR__
#include <avr/eeprom.h>
#include <avr/io.h>
#define REGISTERS 0x52 /* TCNT0 is the first */
#define COUNTER   (*(volatile uint8_t *)0x52)
#define ALMOST    (UCSR0A & 0x03)
#else
#include <msp430.h>
#define REGISTERS 0x190 /* TBR is the first */
#define COUNTER   TBR
#define ALMOST    (P1OUT | P1DIR)
#endif

#if CASE == 1 /* by name */
uint16_t get(uint16_t turn)
{
    return COUNTER + turn;
}
#elif CASE == 2  /* through a pointer that the run decides on */
uint16_t get(uint16_t turn)
{
    const uint8_t *from = (const uint8_t *)REGISTERS + (turn & ticks & 0);
    return *from;
}
#elif CASE == 3  /* copied, kept, and used much later */
uint16_t get(uint16_t turn)
{
    uint16_t was = packet[turn < 4 ? 8 : 0];
    memcpy(packet, (const void *)REGISTERS, 1);
    return was;
}
#elif CASE == 4  /* compared with what it never is */
uint16_t get(uint16_t turn)
{
    (void)turn;
    return COUNTER == 0x57;
}
#elif CASE == 5  /* never used, or only copied: no reason to stop */
uint16_t get(uint16_t turn)
{
    (void)COUNTER;
    packet[0] = (uint8_t)COUNTER;
    packet[1] = packet[0];
    return turn;
}
#elif CASE == 6  /* bits that only writing changes */
uint16_t get(uint16_t turn)
{
    return ALMOST + turn;
}
#elif CASE == 7  /* a local variable that is read before it is written, after handlers and the recorder were there */
__attribute__((noinline)) static uint16_t local(void)
{
    uint8_t bytes[48];
    __asm__ volatile("" ::"r"(bytes) :);
    return (uint16_t)(bytes[20] + bytes[44]);
}
uint16_t get(uint16_t turn)
{
    return turn < 3 ? 0 : local();
}
#elif CASE == 8  /* memory that start-up code does not initialise */
uint16_t left_over __attribute__((section(".noinit")));
uint16_t get(uint16_t turn)
{
    (void)turn;
    return left_over;
}
#elif CASE == 9  /* an unknown value through arithmetic, the stack and calls */
__attribute__((noinline)) static uint16_t through(volatile uint16_t a, uint16_t b)
{
    return (uint16_t)((a >> 3) ^ (b * 5));
}
uint16_t get(uint16_t turn)
{
    return (uint16_t)(through(COUNTER, turn) + through(turn, 3));
}
#elif CASE == 10 /* a register that is changed in place: no reason to stop */
uint16_t get(uint16_t turn)
{
#ifdef __AVR__
    UCSR0A |= 1 << U2X0;
    UCSR0A &= (uint8_t) ~(1 << U2X0);
#else
    TACCTL1 |= CAP;
    TACCTL1 &= ~CAP;
#endif
    return turn;
}
#elif CASE == 11 /* EEPROM, by a function of the library */
uint16_t get(uint16_t turn)
{
#ifdef __AVR__
    uint8_t block[2];
    eeprom_read_block(block, (const void *)(turn & 7), 2);
    return block[1];
#else
    return (uint16_t)(TBR + turn);
#endif
}
#elif CASE == 12 /* goes to another device */
uint16_t get(uint16_t turn)
{
#ifdef __AVR__
    PORTC = COUNTER; /* PORTA selects the flash */
#else
    P5OUT = (uint8_t)COUNTER;
#endif
    return turn;
}
#elif CASE == 13 /* a stack that was painted, and is searched for its lowest use */
uint16_t get(uint16_t turn)
{
    const uint8_t *here = (const uint8_t *)__builtin_frame_address(0) - 160;
    uint16_t same = 0;
    for (uint8_t i = 0; turn > 2 && i < 120; i++)
        same += here[i] == 0xc5;
    return same;
}
#endif
