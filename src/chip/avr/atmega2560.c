/* ATmega2560, from its datasheet; register and vector numbers from avr-libc. */
#include "registers/atmega2560.h"

/* clang-format off */
#define MEGAX0_CORE     AVR_CORE_6
#define MEGAX0_PLAIN    {PRR1, 0x3f, 0}, {RAMPZ, 0x03, 0}, {EIND, 0x01, 0}
#define MEGAX0_ADC_PINS PORT_PINS(K)
#define MEGAX0_MUX5     BIT(ADCSRB, MUX5)
/* clang-format on */
#include "chip/avr/megax0.h"

PORT(H, 0xff, .pin_toggles = true);
PORT(J, 0xff, .pin_toggles = true);
PORT(K, 0xff, .pin_toggles = true, .input_disable = {DIDR2, 0xff, 0});
PORT(L, 0xff, .pin_toggles = true);

static const struct avr_pcint pcint1 = {
    .pins = {PIN(E, 0), PIN(J, 0), PIN(J, 1), PIN(J, 2), PIN(J, 3), PIN(J, 4), PIN(J, 5), PIN(J, 6)}, GROUP(1)};
static const struct avr_pcint pcint2 = {.pins = {PORT_PINS(K)}, GROUP(2), .input_disable = {DIDR2, 0xff, 0}};

static const struct timer_config timer2 = {
    TIMER_8(2, PIN(B, 4), PIN(H, 6)),
    TIMER_2_ASYNCHRONOUS(PIN(G, 4)),
    .power_reduction = BIT(PRR0, PRTIM2),
};
static const struct timer_config timer4 = {
    TIMER_16(4, PIN(L, 0)),
    TIMER_16_ABC(4, PIN(H, 3), PIN(H, 4), PIN(H, 5)),
    TIMER_16_CAPTURE(4),
    TIMER_SYNCHRONOUS(PIN(H, 7)),
    .power_reduction = BIT(PRR1, PRTIM4),
};
static const struct timer_config timer5 = {
    TIMER_16(5, PIN(L, 1)),
    TIMER_16_ABC(5, PIN(L, 3), PIN(L, 4), PIN(L, 5)),
    TIMER_16_CAPTURE(5),
    TIMER_SYNCHRONOUS(PIN(L, 2)),
    .power_reduction = BIT(PRR1, PRTIM5),
};

static const struct usart_config usart2 = {
    USART_REGISTERS(2),
    USART_INTERRUPTS(2, USART2_RX_vect_num, USART2_UDRE_vect_num, USART2_TX_vect_num),
    .rxd = PIN(H, 0),
    .txd = PIN(H, 1),
    .xck = PIN(H, 2),
    .line = 2,
    .master_spi = true,
    .spi_bus = 3,
    .power_reduction = BIT(PRR1, PRUSART2),
};

static const struct usart_config usart3 = {
    USART_REGISTERS(3),
    USART_INTERRUPTS(3, USART3_RX_vect_num, USART3_UDRE_vect_num, USART3_TX_vect_num),
    .rxd = PIN(J, 0),
    .txd = PIN(J, 1),
    .xck = PIN(J, 2),
    .line = 3,
    .master_spi = true,
    .spi_bus = 4,
    .power_reduction = BIT(PRR1, PRUSART3),
};

static const struct chip_device devices[] = {
    MEGAX_CORE_DEVICES,
    MEGAX0_PORT_DEVICES,
    {"porth", &avr_port, &port_H},
    {"portj", &avr_port, &port_J},
    {"portk", &avr_port, &port_K},
    {"portl", &avr_port, &port_L},
    MEGAX0_INTERRUPT_DEVICES,
    {"pcint2", &avr_pcint, &pcint2},
    MEGAX0_TIMER_DEVICES,
    MEGAX0_USART_DEVICES,
    {"usart2", &usart_type, &usart2},
    {"usart3", &usart_type, &usart3},
    MEGAX0_OTHER_DEVICES,
};

const struct chip chip_atmega2560 = {MEGAX0_CHIP, .name = "atmega2560", .ports = "ABCDEFGHJKL", .default_hz = 16000000};
