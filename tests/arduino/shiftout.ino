// Shifts bytes out and in by hand; the data pin is read back while it is driven.
const byte dataPin = 4, clockPin = 7;

void setup() {
  Serial.begin(9600);
  pinMode(dataPin, OUTPUT);
  pinMode(clockPin, OUTPUT);
  shiftOut(dataPin, clockPin, MSBFIRST, 0xB1);
  shiftOut(dataPin, clockPin, LSBFIRST, 0xB1);
  digitalWrite(dataPin, HIGH);
  Serial.println(shiftIn(dataPin, clockPin, MSBFIRST), HEX);
  digitalWrite(dataPin, LOW);
  Serial.println(shiftIn(dataPin, clockPin, LSBFIRST), HEX);
  pinMode(dataPin, INPUT_PULLUP);
  Serial.println(digitalRead(dataPin));
}

void loop() {
}
