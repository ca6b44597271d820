// Sleeps in each mode that its clock runs in, woken by the timers and the serial port; counts what woke it.
#include <avr/sleep.h>

volatile unsigned int compares;

ISR(TIMER2_COMPA_vect) {
  compares++;
}

void setup() {
  Serial.begin(38400);
  TCCR2A = _BV(WGM21);
  OCR2A = 124;
  TCCR2B = _BV(CS22); // 16 MHz / 64 / 125: 2 kHz
  TIMSK2 = _BV(OCIE2A);
  set_sleep_mode(SLEEP_MODE_IDLE);
  unsigned long start = millis();
  unsigned int naps = 0;
  compares = 0;
  while (millis() - start < 500) {
    sleep_mode();
    naps++;
  }
  noInterrupts();
  unsigned int counted = compares;
  interrupts();
  TIMSK2 = 0;
  Serial.println(counted >= 996 && counted <= 1004 ? "compares right" : "compares wrong");
  // Each nap ends by a compare or by an overflow of timer 0 (about 488 of them).
  Serial.println(naps >= 1380 && naps <= 1500 ? "naps right" : "naps wrong");
}

void loop() {
}
