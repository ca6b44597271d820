// SPI as a master in all modes and speeds, with nothing but a pull-up on the input.
#include <SPI.h>

void setup() {
  Serial.begin(9600);
  pinMode(MISO, INPUT_PULLUP);
  SPI.begin();
  digitalWrite(SS, LOW);
  const byte modes[] = {SPI_MODE0, SPI_MODE1, SPI_MODE2, SPI_MODE3};
  for (int mode = 0; mode < 4; mode++) {
    SPI.beginTransaction(SPISettings(1000000, MSBFIRST, modes[mode]));
    Serial.print(SPI.transfer(0xA5), HEX);
    Serial.print(' ');
    SPI.endTransaction();
  }
  SPI.beginTransaction(SPISettings(4000000, LSBFIRST, SPI_MODE0));
  Serial.println(SPI.transfer16(0x1234), HEX);
  SPI.endTransaction();
  digitalWrite(SS, HIGH);
  SPI.beginTransaction(SPISettings(125000, MSBFIRST, SPI_MODE0));
  unsigned long before = micros();
  for (int i = 0; i < 10; i++)
    SPI.transfer(i);
  unsigned long took = (micros() - before) / 10;
  SPI.endTransaction();
  Serial.println(took >= 64 && took <= 72 ? "64 us a byte" : "wrong speed");
}

void loop() {
}
