// A serial port made of software: sends on pin 3; and listens on pin 10, where nothing ever arrives.
#include <SoftwareSerial.h>

SoftwareSerial port(10, 3);

void setup() {
  Serial.begin(9600);
  port.begin(9600);
  port.print("Ua");
  Serial.println(port.available());
}

void loop() {
}
