// The watchdog: as an alarm clock out of deep sleep, and as the reset that ends a program that hangs.
#include <avr/sleep.h>
#include <avr/wdt.h>

volatile byte woken;
byte resets __attribute__((section(".noinit")));
byte cause __attribute__((section(".noinit")));

// Before main: the watchdog stays on after its reset, and must be stopped at once.
void remember() __attribute__((naked, used, section(".init3")));
void remember() {
  cause = MCUSR;
  MCUSR = 0;
  wdt_disable();
}

ISR(WDT_vect) {
  woken++;
}

void nap() {
  set_sleep_mode(SLEEP_MODE_PWR_DOWN);
  cli();
  wdt_reset();
  WDTCSR = _BV(WDCE) | _BV(WDE);
  WDTCSR = _BV(WDIE) | _BV(WDP2); // 0.25 s, interrupt only
  sleep_enable();
  sei();
  sleep_cpu();
  sleep_disable();
  wdt_disable();
}

void setup() {
  Serial.begin(38400);
  if (cause & _BV(PORF))
    resets = 0;
  Serial.print("cause ");
  Serial.print(cause, HEX);
  Serial.print(" resets ");
  Serial.println(resets++);
  Serial.flush();
  unsigned long before = millis();
  for (int i = 0; i < 3; i++)
    nap();
  Serial.print("woken ");
  Serial.print(woken);
  // millis() stood still, since its timer does in power-down.
  Serial.println(millis() - before <= 2 ? " in no time" : " late");
  Serial.flush();
  if (resets < 3) {
    wdt_enable(WDTO_60MS);
    for (;;) {
    }
  }
  Serial.println("done");
}

void loop() {
}
