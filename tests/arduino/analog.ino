// Reads every analog input, and the supply voltage by measuring the internal 1.1 V reference against it.
long readVcc() {
#if defined(__AVR_ATmega2560__) || defined(__AVR_ATmega32U4__)
  ADMUX = _BV(REFS0) | _BV(MUX4) | _BV(MUX3) | _BV(MUX2) | _BV(MUX1);
  ADCSRB &= ~_BV(MUX5);
#else
  ADMUX = _BV(REFS0) | _BV(MUX3) | _BV(MUX2) | _BV(MUX1);
#endif
  delay(2);
  ADCSRA |= _BV(ADSC);
  while (bit_is_set(ADCSRA, ADSC)) {
  }
  return 1125300L / ADC;
}

void setup() {
  Serial.begin(9600);
  for (int channel = 0; channel < NUM_ANALOG_INPUTS; channel++) {
    int value = analogRead(channel);
    Serial.print(channel);
    Serial.print('=');
    Serial.print(value);
    Serial.print(' ');
  }
  Serial.println();
  unsigned long before = micros();
  for (int i = 0; i < 100; i++)
    analogRead(A0);
  unsigned long took = (micros() - before) / 100;
  Serial.print(took >= 104 && took <= 124 ? "in time" : "took ");
  if (took < 104 || took > 124)
    Serial.print(took);
  Serial.println();
  Serial.print("vcc ");
  Serial.println(readVcc());
}

void loop() {
}
