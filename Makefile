# Each target sets up everything it needs on a Debian 12 machine that has only git and make (see packages.txt).
.PHONY: program all test demo bench soak format tidy clean

program: ; @TARGETS=program scripts/build && echo "The program is build/motet. Other targets: make demo, make test, make all, make bench."
all: ; @scripts/build
test: ; @scripts/test
demo: ; @TARGETS=demo scripts/build && scripts/demo
bench: all ; @ninja -C build measured && build/bench/bench $(ONLY)
soak: all ; @ctest --test-dir build -C soak -L soak --output-on-failure
format: ; @scripts/setup && git ls-files -z -- '*.c' '*.h' | xargs -0 clang-format -i
tidy: all ; @scripts/setup clang-tidy && scripts/tidy
clean: ; @rm -rf build build-sanitize
