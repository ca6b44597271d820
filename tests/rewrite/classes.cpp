/* Ways to registers that C++ has beside those of C: references, templates, classes over registers, lambdas, structures
 * in structures, namespaces and functions, what an operator gives. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

enum { COUNTER = 0x4c /* TCNT1L of an ATmega128 */ };
volatile uint16_t ticks;
uint16_t out[24];

#ifdef __AVR_ATmega128__
ISR(TIMER0_COMP_vect)
{
    ticks++;
    OCR0 += 77;
}

static void begin()
{
    TCCR0 = 1 << CS02;
    TCCR2 = 1 << CS20;
    TIMSK = 1 << OCIE0;
}
#else
ISR(TIMER0_COMPA_vect)
{
    ticks++;
    OCR0A += 77;
}

static void begin()
{
    TCCR0B = 1 << CS02;
    TCCR2B = 1 << CS20;
    TIMSK0 = 1 << OCIE0A;
}
#endif

class Pin
{
  public:
    Pin(volatile uint8_t &r, uint8_t m) : reg(r), mask(m) {}
    virtual uint8_t read() { return reg & mask; }
    uint8_t raw() const { return reg; }
    static uint16_t clock() { return TCNT1; }

  private:
    volatile uint8_t &reg;
    uint8_t mask;
};

class Twice : public Pin
{
  public:
    Twice(volatile uint8_t &r) : Pin(r, 0x3c) {}
    uint8_t read() override { return Pin::read() + (TCNT1 & 3); }
};

namespace hw
{
struct Timer {
    static uint16_t now() { return TCNT1; }
};
class Outer
{
  public:
    struct Inner {
        uint8_t get() { return TCNT2 ^ 1; }
    } in;
};
} // namespace hw

template <class T> T half(T x)
{
    return x / 2 + TCNT1;
}

template <uint16_t A> struct Reg {
    static uint8_t get() { return *(volatile uint8_t *)A; }
};

template <typename T> class Box
{
    T value;

  public:
    T take() { return value = TCNT2; }
};

template <typename F> static uint16_t apply(F f)
{
    return f(TCNT2);
}

union Word {
    uint16_t word;
    uint8_t bytes[2];
    uint8_t low()
    {
        word = TCNT1;
        return bytes[0];
    }
};

/* Lies over a register. */
struct Over {
    volatile uint8_t value;
    uint8_t get() { return value; }
    uint8_t twice() { return get() + this->value; }
};

struct Bank {
    volatile uint8_t &operator[](int i) const { return *((volatile uint8_t *)&TCNT2 + 0 * i); }
    operator uint8_t() { return TCNT2; }
    uint8_t operator()(uint8_t k) { return TCNT2 + k; }
};

static uint8_t more(volatile uint8_t &r)
{
    return r + 1;
}

static uint16_t same(const volatile uint16_t &r)
{
    return r;
}

static uint16_t copied(const uint32_t &r)
{
    return r;
}

static volatile uint8_t &port(uint8_t which)
{
    return which ? TCNT2 : PIND;
}

static uint16_t once()
{
    static uint16_t first = TCNT1;
    return first;
}

static uint16_t given(uint16_t x = TCNT1)
{
    return x;
}

int main()
{
    TCCR1B = 1 << CS10;
    begin();
    sei();
    Pin a(const_cast<volatile uint8_t &>(TCNT2), 0x7f);
    Twice b(TCNT2);
    Pin *pins[] = {&a, &b};
    hw::Outer outer;
    Box<uint16_t> box;
    Word word;
    Bank bank;
    struct Local {
        uint8_t get() { return TCNT2; }
    } local;
    for (;;) {
        for (Pin *p : pins)
            out[0] += p->read();
        out[1] += a.raw() + Pin::clock();
        out[2] += hw::Timer::now();
        out[3] += outer.in.get() + local.get();
        out[4] += half<uint16_t>(3) + half<uint8_t>(4);
        out[5] += Reg<COUNTER>::get();
        out[6] += box.take();
        out[7] += more(TCNT2) + same(TCNT1) + copied(TCNT1);
        volatile uint8_t &r = TCNT2;
        out[8] += r;
        auto f = [&](uint8_t k) { return uint16_t(k + TCNT2); };
        out[9] += f(3) + apply([](uint8_t v) -> uint16_t { return v + TCNT1; });
        out[10] += word.low();
        out[11] += static_cast<uint8_t>(TCNT1) + uint8_t{TCNT2} + int(TCNT2);
        out[12] += port(ticks & 1);
        out[13] += bank[0] + bank + bank(3);
        Over *over = reinterpret_cast<Over *>((uint16_t)&TCNT2);
        out[14] += over->get() + over->twice();
        out[15] += once() + given() + given(3);
        uint8_t &&moved = uint8_t(TCNT2);
        const volatile uint8_t &chosen = ticks & 1 ? TCNT2 : PIND;
        out[16] += moved + chosen;
        decltype(TCNT2) again = TCNT2;
        auto &another = TCNT1;
        out[17] += again + another;
    }
}
