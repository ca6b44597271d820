// A slave at address 8: keeps what it is sent, and gives it back backwards when asked.
#include <Wire.h>

char kept[16];
byte count;

void receive(int bytes) {
  count = 0;
  while (Wire.available() && count < sizeof kept)
    kept[count++] = Wire.read();
  Serial.print("got ");
  Serial.println(bytes);
}

void request() {
  char reversed[16];
  for (byte i = 0; i < count; i++)
    reversed[i] = kept[count - 1 - i];
  Wire.write((const byte *)reversed, count);
}

void setup() {
  Serial.begin(38400);
  Wire.begin(8);
  Wire.onReceive(receive);
  Wire.onRequest(request);
  Serial.println("listening");
}

void loop() {
}
