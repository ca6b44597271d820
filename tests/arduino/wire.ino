// The I2C scanner: asks each address, and says which devices answer.
#include <Wire.h>

void setup() {
  Wire.begin();
  Serial.begin(9600);
  Serial.println("I2C scanner");
  int found = 0, absent = 0, other = 0;
  for (byte address = 1; address < 127; address++) {
    Wire.beginTransmission(address);
    byte error = Wire.endTransmission();
    if (error == 0) {
      Serial.print("device at 0x");
      Serial.println(address, HEX);
      found++;
    } else if (error == 2) {
      absent++;
    } else {
      other++;
    }
  }
  Serial.print(found);
  Serial.print(" found, ");
  Serial.print(absent);
  Serial.print(" absent, ");
  Serial.print(other);
  Serial.println(" other");
  Serial.print("read ");
  Serial.println(Wire.requestFrom(0x48, 2));
}

void loop() {
}
