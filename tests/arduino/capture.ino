// Input capture: the time between two edges that the sketch makes itself on the capture pin (ICP1: 8 on the Uno; ICP5:
// 48 on the Mega; ICP1: 4 on the Leonardo).
#if defined(__AVR_ATmega2560__)
const byte pin = 48;
#define TCCRA TCCR5A
#define TCCRB TCCR5B
#define TIFR TIFR5
#define ICR ICR5
#define TIMSK TIMSK5
#define CAPT_vect TIMER5_CAPT_vect
#else
#if defined(__AVR_ATmega32U4__)
const byte pin = 4;
#else
const byte pin = 8;
#endif
#define TCCRA TCCR1A
#define TCCRB TCCR1B
#define TIFR TIFR1
#define ICR ICR1
#define TIMSK TIMSK1
#define CAPT_vect TIMER1_CAPT_vect
#endif

volatile unsigned int captured, count;

ISR(CAPT_vect) {
  captured = ICR;
  count++;
}

void setup() {
  Serial.begin(9600);
  pinMode(pin, OUTPUT);
  volatile uint8_t *port = portOutputRegister(digitalPinToPort(pin));
  byte bit = digitalPinToBitMask(pin);
  TCCRA = 0;
  TCCRB = _BV(ICES1) | _BV(CS10); // rising edges, every cycle
  TIFR = 0xFF;
  TIMSK = _BV(ICIE1);
  for (int wait = 100; wait <= 400; wait += 100) {
    *port |= bit;
    delayMicroseconds(2);
    unsigned int first = captured;
    *port &= ~bit;
    delayMicroseconds(wait);
    *port |= bit;
    delayMicroseconds(2);
    unsigned int took = captured - first;
    *port &= ~bit;
    // 16 cycles a microsecond, and those of the other lines and of an interrupt of the clock.
    Serial.println(took >= (wait + 2) * 16 && took < (wait + 2) * 16 + 300 ? "right" : "wrong");
    delay(10);
  }
  Serial.println(count);
}

void loop() {
}
