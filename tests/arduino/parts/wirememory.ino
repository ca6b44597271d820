// Stores and reads back a text in a 24C256 on the I2C bus, waiting for each page by asking until it answers.
#include <Wire.h>

const byte memory = 0x50;

void writePage(unsigned int at, const char *text, byte count) {
  Wire.beginTransmission(memory);
  Wire.write(at >> 8);
  Wire.write(at & 0xFF);
  Wire.write((const byte *)text, count);
  Serial.print(Wire.endTransmission());
}

int waitUntilWritten() {
  int asked = 0;
  do {
    Wire.beginTransmission(memory);
    asked++;
  } while (Wire.endTransmission() != 0);
  return asked;
}

void setup() {
  Serial.begin(38400);
  Wire.begin();
  Wire.setClock(400000);
  writePage(0x1234, "Tallis", 6);
  int asked = waitUntilWritten();
  writePage(0x7FFE, "ab", 2);
  waitUntilWritten();
  // Nine bits at 400 kHz each time, for 5 ms.
  Serial.println(asked > 50 && asked < 250 ? " polled" : " did not poll");
  Wire.beginTransmission(memory);
  Wire.write(0x12);
  Wire.write(0x34);
  Wire.endTransmission(false); // a repeated start follows
  Serial.print(Wire.requestFrom(memory, (byte)8));
  Serial.print(' ');
  while (Wire.available()) {
    int c = Wire.read();
    if (c == 0xFF)
      Serial.print('.');
    else
      Serial.write(c);
  }
  Serial.println();
  Wire.beginTransmission(0x51);
  Serial.println(Wire.endTransmission());
}

void loop() {
}
