// Writes, reads back, updates and stores a structure with the EEPROM library.
#include <EEPROM.h>

struct Settings {
  float gain;
  byte mode;
  char name[10];
};

void setup() {
  Serial.begin(9600);
  Serial.print("length ");
  Serial.println(EEPROM.length());
  Serial.print("erased ");
  Serial.println(EEPROM.read(100));
  unsigned long before = micros();
  for (int i = 0; i < 10; i++)
    EEPROM.write(i, i * 3 + 1);
  unsigned long took = micros() - before;
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum += EEPROM[i];
  Serial.print("sum ");
  Serial.println(sum);
  // Nine of the ten writes are waited for, 3.3 ms each; an update with the same value writes nothing.
  Serial.println(took > 29000 && took < 34000 ? "write time right" : "write time wrong");
  eeprom_busy_wait();
  before = micros();
  EEPROM.update(3, 10);
  Serial.println(micros() - before < 100 ? "update skipped" : "update wrote");
  Settings in = {2.5f, 7, "motet"}, out;
  EEPROM.put(200, in);
  EEPROM.get(200, out);
  Serial.print(out.gain);
  Serial.print(' ');
  Serial.print(out.mode);
  Serial.print(' ');
  Serial.println(out.name);
}

void loop() {
}
