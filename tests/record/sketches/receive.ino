// A software serial port that hears: its pin is driven by the sketch itself, so that edges come while it does other
// things. Pins A0 to A5 have a vector of their own, which the library makes another name of the first.
#include <SoftwareSerial.h>

SoftwareSerial port(A1, 3);
unsigned heard, sum;

void setup() {
  Serial.begin(9600);
  port.begin(9600);
  pinMode(A1, OUTPUT);
}

void loop() {
  digitalWrite(A1, LOW); // a start bit, and by the time the handler has listened a whole byte
  delayMicroseconds(50);
  digitalWrite(A1, HIGH);
  while (port.available()) {
    sum += port.read();
    heard++;
  }
  if (heard % 8 == 0)
    Serial.println(sum + millis());
}
