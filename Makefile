# Each target sets up everything it needs on a Debian 12 machine that has only git and make (see packages.txt).
.PHONY: program all test demo bench soak deb deb-test format tidy clean

program: ; @TARGETS=program scripts/build && printf "%s\n" "The program is build/motet. Try: build/motet run --board uno --for 1.5s build/firmware/sensor.elf" "The README goes on from there. Other targets: make demo, make test, make all, make bench."
all: ; @scripts/build
test: ; @scripts/test
demo: ; @TARGETS=demo scripts/build && scripts/demo
bench: all ; @ninja -C build measured variants && build/bench/bench $(ONLY)
soak: all ; @ninja -C build recorded variants units && ctest --test-dir build -C soak -L '^(soak|sanitized)$$' -j $$(nproc) --output-on-failure
deb: ; @scripts/deb
deb-test: ; @scripts/deb-test
format: ; @scripts/setup && git ls-files -z -- '*.c' '*.h' | xargs -0 clang-format -i
tidy: all ; @scripts/setup clang-tidy && scripts/tidy
clean: ; @rm -rf build build-sanitize
