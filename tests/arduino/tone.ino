// Plays a few notes; the pin is toggled by the compare interrupt of a timer.
int melody[] = {440, 262, 1000, 31};

void setup() {
  for (int note = 0; note < 4; note++) {
    tone(8, melody[note], 100);
    delay(130);
    noTone(8);
  }
}

void loop() {
}
