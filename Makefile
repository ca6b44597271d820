# Each target sets up everything it needs on a Debian 12 machine that has only git and make (see packages.txt).
.PHONY: build test demo bench soak format tidy clean

build: ; @scripts/build
test: ; @scripts/test
demo: build ; @scripts/demo
bench: build ; @ninja -C build measured && build/bench/bench $(ONLY)
soak: build ; @ctest --test-dir build -C soak -L soak --output-on-failure
format: ; @scripts/setup && git ls-files -z -- '*.c' '*.h' | xargs -0 clang-format -i
tidy: build ; @scripts/setup clang-tidy && git ls-files -z -- 'src/*.c' 'bench/[a-z]*.c' ':!bench/kernels' | xargs -0 clang-tidy -p build --quiet
clean: ; @rm -rf build build-sanitize
