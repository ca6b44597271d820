/* What motet cc makes of each way to read a register of an AVR. Each line that records says so: `= REGISTER MASK`. A
 * line with `= poll` is a loop that is skipped. Every other line records nothing. tests/rewrite/check compares. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

extern volatile uint8_t *somewhere;
extern void use(uint16_t v);
uint8_t ram[4];
volatile uint8_t flag;

/* ---- masks ---- */
bool direct(void)
{
    return UCSR0A & (1 << RXC0); //= UCSR0A 0x80
}

uint8_t through_a_variable(void)
{
    uint8_t x = UCSR0A; //= UCSR0A 0x90
    if (x & 0x80)
        return 1;
    return x & 0x10;
}

uint8_t variable_used_whole(void)
{
    uint8_t x = PINB; //= PINB 0xff
    if (x & 0x80)
        return 1;
    return x;
}

uint8_t variable_with_address(void)
{
    uint8_t x = PINB; //= PINB 0xff
    uint8_t *p = &x;
    return *p & 1;
}

uint8_t shifted(void)
{
    return (PINB >> 3) & 3; //= PINB 0x18
}

bool compared(void)
{
    return (PINB & 0x0f) == 3; //= PINB 0x0f
}

int switched(void)
{
    switch (PIND & 0x60) { //= PIND 0x60
    case 0x20: return 1;
    default: return 2;
    }
}

uint8_t only_fixed_bits(void)
{
    return UCSR0B & (1 << RXEN0);
}

uint8_t narrowed(void)
{
    uint8_t low = TCNT1; //= TCNT1 0x00ff
    return low;
}

int8_t negative(void)
{
    int8_t v = ADCH; //= ADCH 0xff
    return v >> 4 & 0x0f;
}

/* Where in the flow a variable is masked is not looked at. */
uint8_t masked_later(void)
{
    uint8_t v = PINC; //= PINC 0xff
    v &= 0x0f;
    return v;
}

/* ---- bits that matter, on other ways ---- */
bool compared_in_order(uint8_t n)
{
    if (TCNT0 < 0x40 || TCNT2 >= 0x30) //= TCNT0 0xc0 TCNT2 0xf0
        return true;
    if (TCNT1 > 0x3ff || 0x0f < PINB) //= TCNT1 0xfc00 PINB 0xf0
        return false;
    return PINC <= 0x1f && PIND > n; //= PINC 0xe0 PIND 0xff
}

bool compared_when_shifted(void)
{
    return PINB >> 2 < 0x10 || (int8_t)PINC < 4 || (PIND & 0x3c) >= 0x20; //= PINB 0xc0 PINC 0xff PIND 0x20
}

static inline bool is_high(uint8_t pins)
{
    return pins & 0x08;
}

static inline uint8_t low_half(uint8_t v)
{
    return v & 0x0f;
}

static uint8_t __attribute__((noinline)) whole_and_part(uint8_t whole, uint8_t part)
{
    use(whole);
    return part >> 6;
}

uint8_t given_to_functions(uint8_t n)
{
    if (is_high(PINB)) //= PINB 0x08
        return 1;
    uint8_t x = low_half(PINC) & 3;            //= PINC 0x0f
    x += whole_and_part(PINB, PIND);           //= PINB 0xff PIND 0xc0
    return x + low_half(n ? PINB : PIND >> 2); //= PINB 0x0f PIND 0x3c
}

static inline uint8_t pins(void)
{
    return PINB; //= PINB 0x81
}

static inline uint16_t time(void)
{
    return TCNT1; //= TCNT1 0xff00
}

static uint8_t all_pins(void)
{
    return PINC; //= PINC 0xff
}

uint8_t (*address_of_function)(void) = all_pins;

bool results_of_functions(void)
{
    if (pins() & 1)
        return time() >> 12;
    uint8_t high = time() >> 8;
    all_pins();
    return pins() >> 7 || high == 3;
}

/* Other files may call it. */
uint8_t known_outside(void)
{
    return PINB; //= PINB 0xff
}

bool known_here(void)
{
    return known_outside() & 1;
}

bool collected(void)
{
    uint8_t seen = 0, once = 0xff;
    for (uint8_t i = 0; i < 4; i++) {
        seen |= PINB;  //= PINB 0x01
        once &= ~PINC; //= PINC 0x02
    }
    return (seen & 1) || (once & 2);
}

bool copied(void)
{
    uint8_t a = PINB, b, c; //= PINB 0x10
    c = b = a;
    return c & 0x10 ? b & 0x10 : 0;
}

bool counted_down(uint8_t n)
{
    uint8_t rest = PIND; //= PIND 0xff
    while (rest--)
        n++;
    return n;
}

static uint8_t recursive(uint8_t v, uint8_t n)
{
    return n ? recursive(v >> 1, n - 1) : v & 1;
}

bool shifted_by_recursion(void)
{
    return recursive(PINB, 3); //= PINB 0xff
}

bool tested_by_macro(void)
{
    return bit_is_set(PIND, 3) || bit_is_clear(PINC, 0); //= PIND 0x08 PINC 0x01
}

/* ---- words that GCC alone knows ---- */
static const __flash uint8_t in_flash[] = {1, 2, 3};

uint8_t of_flash(void)
{
    const __flash uint8_t *p = in_flash;
    return p[PINB & 1]; //= PINB 0x01
}

__uint24 of_three_bytes(__uint24 x)
{
    return x + PINB; //= PINB 0xff
}

int of_fixed_point(void)
{
    _Accum half = 0.5k;
    return (int)(half * PINB); //= PINB 0xff
}

/* ---- no effect ---- */
void read_and_thrown_away(void)
{
    UDR0;
    (void)UDR0;
    PORTB |= 1;
    TIFR1 = 1 << TOV1;
    ADCSRA |= 1 << ADSC;
    UCSR0A = 0;
}

/* ---- data, timers ---- */
void data(void)
{
    use(UDR0);                                     //= UDR0 0xff
    use(ADC);                                      //= ADC 0xffff
    use(TCNT1);                                    //= TCNT1 0xffff
    ram[0] = SPDR;                                 //= SPDR 0xff
    eeprom_read_byte((uint8_t *)3);                //= eeprom_read_byte 0xff
    eeprom_read_block(ram, (void *)4, sizeof ram); //= eeprom_read_block 0xff
}

/* ---- polling: sound ---- */
void polls(void)
{
    while (!(UCSR0A & (1 << UDRE0))) //= poll
        ;
    do { //= poll
    } while (ADCSRA & (1 << ADSC));
    while ((SPSR & 0x80) == 0) { //= poll
        __asm__ volatile("nop");
    }
    loop_until_bit_is_set(UCSR0A, TXC0); //= poll
    for (; !(SPSR & 0x80);)              //= poll
        ;
    for (uint8_t last = ram[0]; PINB == last;) //= PINB 0xff
        ;
    for (uint8_t first = ram[0]; !(PINB & first);) //= PINB 0xff
        ;
    for (ram[1] = 0; PINB & 1;) //= poll
        continue;
    for (;;) { //= poll
        if (UCSR0A & (1 << UDRE0))
            break;
    }
    while (1) //= poll
        if (!(ADCSRA & (1 << ADSC))) {
            break;
        }
    do { //= poll
        if (EECR & (1 << EERE))
            break;
    } while (1);
}

void waits_for_time(uint8_t now)
{
    while (TCNT0 < 100) //= poll
        ;
    while (TCNT0 == now) //= poll
        ;
    while ((uint8_t)(TCNT0 - now) <= 20) //= poll
        ;
}

void two_registers(void)
{
    while (!(UCSR0A & 0x80) && !(PINB & 1)) //= poll
        ;
}

/* ---- polling: not sound ---- */
uint16_t counts(void)
{
    uint16_t n = 1000;
    while (!(UCSR0A & (1 << RXC0)) && --n) //= UCSR0A 0x80
        ;
    return n;
}

uint8_t reads_data(void)
{
    uint8_t c;
    do
        c = UDR0; //= UDR0 0xff
    while (c != 0x7e);
    return c;
}

void waits_for_data(void)
{
    while (UDR0 != 0x7e) //= UDR0 0xff
        ;
}

void counts_in_a_for(void)
{
    for (; !(UCSR0A & (1 << RXC0)); ram[0]++) //= UCSR0A 0x80
        ;
}

void breaks_out_of_more(void)
{
    for (;;) {
        if (UCSR0A & (1 << RXC0)) //= UCSR0A 0x80
            break;
        ram[0]++;
    }
    for (;; ram[0]++)
        if (UCSR0A & (1 << RXC0)) //= UCSR0A 0x80
            break;
    while (flag)
        if (UCSR0A & (1 << RXC0)) //= UCSR0A 0x80
            break;
    for (;;)
        if (UCSR0A & (1 << RXC0)) //= UCSR0A 0x80
            break;
        else
            ram[0]++;
    for (;;)
        if (UCSR0A & (1 << RXC0)) //= UCSR0A 0x80
            goto out;
out:
    ram[0] = 0;
}

void does_something(void)
{
    while (!(UCSR0A & (1 << RXC0))) //= UCSR0A 0x80
        PORTB ^= 1;
}

void with_a_variable(void)
{
    while (!(UCSR0A & 0x80) && !flag) //= UCSR0A 0x80
        ;
}

/* ---- pointers and computed places ---- */
uint8_t pointer(void)
{
    return *somewhere; //= *pointer 0xff
}

uint8_t pointer_with_index(uint8_t i)
{
    return somewhere[i] & 1; //= *pointer 0xff
}

uint8_t constant_address(void)
{
    return *(volatile uint8_t *)0xc6; //= UDR0 0xff
}

uint8_t computed_register(uint8_t i)
{
    return ((volatile uint8_t *)0x23)[i]; //= PINB 0xff
}

uint8_t not_in_the_file(void)
{
    return *(volatile uint8_t *)0x31; //= 0x31 0xff
}

uint8_t followed_number(uint8_t i)
{
    return *(uint8_t *)(0x23 + 3 * i); //= *pointer 0xff
}

uint8_t ordinary_volatile(void)
{
    return flag;
}

/* ---- conditions of all kinds ---- */
uint8_t conditions(void)
{
    if (PINB) //= PINB 0xff
        return 1;
    for (uint8_t i = 0; i < (PINC & 3); i++) //= PINC 0x03
        use(i);
    return PIND & 1 ? 2 : 3; //= PIND 0x01
}

/* ---- structures over registers ---- */
typedef union {
    uint8_t flat;
    struct {
        uint8_t tov : 1;
        uint8_t ocfa : 1;
        uint8_t ocfb : 1;
    } bits;
} flags_t;

uint8_t over_a_register(void)
{
    flags_t all = *(flags_t *)&TIFR1;   //= TIFR1 0xff
    if (((flags_t *)&TIFR0)->bits.ocfa) //= TIFR0 0x01
        return 1;
    if (((flags_t *)&TIMSK0)->bits.ocfa)
        return 2;
    ((volatile flags_t *)&TIFR2)->bits.tov = 1;
    return (*(flags_t *)&TIFR2).flat + all.flat; //= TIFR2 0xff
}

typedef struct {
    int8_t low : 3;
    int8_t next : 5;
} signed_t;
int8_t signed_field(void)
{
    return ((signed_t *)&PINB)->next; //= PINB 0xffff
}

uint16_t two_registers_at_once(void)
{
    return *(volatile uint16_t *)&PINC & 0x0180; //= PINC 0x80
}

uint8_t with_an_offset(void)
{
    return *(&PINB + 3); //= PINC 0xff
}

/* ---- what is not evaluated ---- */
uint8_t unevaluated(void)
{
    __typeof__(PINB) a = 1;
    return sizeof(PINB) + sizeof(PINB + 1) + a + __builtin_choose_expr(1, 2, 3);
}

/* ---- operands of all kinds ---- */
struct pair {
    uint8_t a, b;
};
uint8_t operands(uint8_t n)
{
    uint8_t x = (use(1), PINB);             //= PINB 0xff
    x += n ? PINC : PIND;                   //= PINC 0xff PIND 0xff
    struct pair p = (struct pair){PINB, 1}; //= PINB 0xff
    x += ({
        uint8_t y = PINC; //= PINC 0x07
        y & 7;
    });
    p.b = PIND;                //= PIND 0xff
    ram[n & 3] = PINB & 0x0f;  //= PINB 0x0f
    use(PINC & 1 && PIND & 2); //= PINC 0x01 PIND 0x02
    return x + p.a + p.b;
}

static inline uint8_t from(volatile uint8_t *reg)
{
    return *reg; //= *pointer 0xff
}

uint8_t given_a_register(void)
{
    return from(&PINB) + from(&PINC);
}

/* A jump into a loop, and one to a place that was computed. */
void duff(uint8_t n)
{
    switch (n & 3) {
        do {
        case 0: use(PINB);     //= PINB 0xff
        case 3: use(PINC & 1); //= PINC 0x01
        case 2:
        case 1: use(1);
        } while (--n);
    }
}

void computed_goto(uint8_t n)
{
    static void *const to[] = {&&a, &&b};
    goto *to[n & 1];
a:
    use(PIND & 4); //= PIND 0x04
b:
    use(2);
}

int fall_through(void)
{
    switch (PINB & 0x30) {       //= PINB 0x30
    case 0x10: use(1);           /* fall through */
    case 0x20: use(PINC & 0x40); //= PINC 0x40
    default: return 3;
    }
}

void in_a_case(uint8_t n)
{
    switch (n) {
    case 1: PINB |= 1; break;
    case 2: UDR0; break;
    default: TCNT0 += 5;
    }
}

const volatile uint8_t table[] = {1, 2, 3};
uint8_t constant_table(uint8_t i)
{
    return table[i];
}

uint8_t reset_cause(void)
{
    return MCUSR; //= MCUSR 0x1f
}

uint8_t eeprom_by_hand(void)
{
    EEAR = 3;
    EECR |= 1 << EERE;
    return EEDR; //= EEDR 0xff
}

void copied_from_registers(void)
{
    memcpy(ram, (const void *)&PINB, 3); //= *registers 0xff
    memcpy(ram, ram + 1, 1);
}

uint8_t kept[4] __attribute__((section(".noinit"))); //= kept 0xff
uint8_t cause __attribute__((section(".noinit")));   //= cause 0xff
void early(void) __attribute__((naked, section(".init3")));
void early(void)
{
    cause = MCUSR;
    MCUSR = 0;
}

ISR(USART_RX_vect)
{
    use(UDR0); //= UDR0 0xff
}

int main(void)
{
    sei();
    for (;;)
        sleep_cpu();
}

/* ---- what a call leaves unset ---- */
static bool finds(uint8_t *which)
{
    for (*which = 0; *which < sizeof ram; ++*which)
        if (ram[*which])
            return true;
    return false;
}

static bool finds_late(uint8_t *which)
{
    for (uint8_t i = 0; i < sizeof ram; i++)
        if (ram[i])
            return *which = i;
    return false;
}

uint8_t set_before_a_loop(void)
{
    uint8_t which;
    return finds(&which) ? which : 9;
}

uint8_t set_in_a_loop(void)
{
    uint8_t which; //= which 0xff
    return finds_late(&which) ? which : 9;
}
