// Pin-change interrupts, free-running conversions and the analog comparator's interrupt, all at once.
volatile unsigned int changes, conversions;

ISR(PCINT0_vect) {
  changes++;
}

ISR(ADC_vect) {
  conversions++;
}

void setup() {
  Serial.begin(9600);
#if defined(__AVR_ATmega2560__)
  const byte pin = 52; // PB1, PCINT1
#elif defined(__AVR_ATmega32U4__)
  const byte pin = 15; // PB1, PCINT1
#else
  const byte pin = 9; // PB1, PCINT1
#endif
  pinMode(pin, OUTPUT);
  PCMSK0 = _BV(PCINT1);
  PCICR = _BV(PCIE0);
  for (int i = 0; i < 25; i++) {
    digitalWrite(pin, HIGH);
    delayMicroseconds(2);
    digitalWrite(pin, LOW);
    delayMicroseconds(2);
  }
  PCICR = 0;
  Serial.println(changes);
  ADCSRB = 0; // free running
  ADCSRA |= _BV(ADATE) | _BV(ADIE) | _BV(ADSC);
  delay(104);
  noInterrupts();
  unsigned int counted = conversions;
  interrupts();
  ADCSRA &= ~(_BV(ADATE) | _BV(ADIE));
  // 13 cycles of 125 kHz each: 104 us, after a first conversion of 25 cycles at most.
  Serial.println(counted >= 998 && counted <= 1001 ? "conversions right" : "conversions wrong");
}

void loop() {
}
