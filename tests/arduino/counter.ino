// Counts the edges of an external clock with timer 5 (mega) or 1 (uno). The clock is our own PWM: on the Uno the pin of
// OC0B is also T1; on the Mega pin 47 (T5) is driven by hand.
void setup() {
  Serial.begin(9600);
#if defined(__AVR_ATmega2560__)
  TCCR5A = 0;
  TCCR5B = _BV(CS52) | _BV(CS51) | _BV(CS50); // rising edges of T5
  pinMode(47, OUTPUT);
  TCNT5 = 0;
  for (int i = 0; i < 123; i++) {
    digitalWrite(47, HIGH);
    digitalWrite(47, LOW);
  }
  Serial.println(TCNT5);
#elif defined(__AVR_ATmega32U4__)
  TCCR1A = 0;
  TCCR1B = _BV(CS12) | _BV(CS11) | _BV(CS10); // rising edges of T1, pin 12
  pinMode(12, OUTPUT);
  TCNT1 = 0;
  for (int i = 0; i < 123; i++) {
    digitalWrite(12, HIGH);
    digitalWrite(12, LOW);
  }
  Serial.println(TCNT1);
#else
  TCCR1A = 0;
  TCCR1B = _BV(CS12) | _BV(CS11); // falling edges of T1
  pinMode(5, OUTPUT);
  TCNT1 = 0;
  for (int i = 0; i < 123; i++) {
    digitalWrite(5, HIGH);
    digitalWrite(5, LOW);
  }
  delayMicroseconds(1);
  Serial.println(TCNT1);
  analogWrite(5, 100); // 16 MHz / 64 / 256: 976.56 Hz
  TCNT1 = 0;
  delay(1000);
  unsigned int edges = TCNT1;
  Serial.println(edges == 976 || edges == 977 ? "976 Hz" : "wrong");
#endif
}

void loop() {
}
