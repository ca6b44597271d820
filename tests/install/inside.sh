# What the installed program does where there is neither source nor build: PREFIX and MOTET are the installation.
prefix=$PREFIX
LIB=lib
. lib/expect.sh
PATH=$prefix/bin:$PATH

# What the program does with its own files: a paragraph for each verb that has some.
motet --version
expect_status 0
motet run --quiet --board uno --for 1.5s build/firmware/sensor.elf
expect_status 0
expect_out "a list 15 deep: sum 15"
printf 'break report\ncontinue\nreverse-stepi\nquit\n' >"$work/commands"
motet debug --board uno --line build/firmware/sensor.elf <"$work/commands"
expect_status 0
expect_out "report"

# Its faces: a page in a file and from a server, whose module is loaded; an editor's first message.
motet report --board uno --for 1s build/firmware/sensor.elf --output "$work/page.html"
expect_status 0
grep -qi "<!doctype html>" "$work/page.html" || fail "there should be a page"
if [ -n "${PYTHON:-}" ] && [ -e "$prefix/lib/motet/motet_http.so" ]; then
    printf '#!/bin/sh\nexec "%s" -c "import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read())" "$1" >"%s"\n' \
        "$PYTHON" "$work/served" >browser
    chmod +x browser
    command="motet view"
    "$MOTET" view --board uno --for 1s --browser "$PWD/browser" build/firmware/sensor.elf >"$work/out" 2>"$work/err" &
    server=$!
    while [ ! -s "$work/served" ] && kill -0 $server 2>/dev/null; do sleep 0.1; done
    kill -INT $server
    wait $server
    grep -qi "<!doctype html>" "$work/served" || fail "a page should be served"
fi
message='{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"motet"}}'
printf 'Content-Length: %d\r\n\r\n%s' ${#message} "$message" >"$work/messages"
motet dap <"$work/messages"
expect_out '"command":"initialize"'

# A firmware that records, its log out of the flash, and the replay of that.
motet cc --board micaz -- avr-gcc -mmcu=atmega128 -DF_CPU=7372800 -Os -std=gnu11 -gdwarf-4 "-I$prefix/share/motet/target/include" \
    -o app.elf app.c
expect_status 0
motet cc --board micaz -- avr-gcc --version # has nothing to rewrite: the compiler's own answer
expect_status 0
expect_out "avr-gcc"
motet run --quiet --board micaz --for 2s --save-flash "$work/flash" app.elf
expect_status 0
motet collect "$work/flash" --output "$work/log"
expect_status 0
motet replay "$work/log" --elf app.elf --board micaz
expect_status 0
expect_err "the log ends after"

# The tour.
command="docs/tour.sh check" status=0
: >"$work/err"
sh docs/tour.sh check "$PWD/README.md" >"$work/out" 2>&1 || fail "the tour of the README"

# The library: it shows its own names only, as a shared library and as an archive.
library=$prefix/lib/libmotet.so
[ -L "$library" ] && [ -L "$library.0" ] || fail "the shared library should have a version"
command="nm -D $library" status=0
nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u >"$work/seen"
grep -v '^motet_' "$work/seen" >"$work/out" && fail "only motet_ names should be seen"
cat "$prefix"/include/motet/*.h | grep -vE '^(typedef|static inline)' | sed -n 's/^[a-z].*[ *]\(motet_[a-z0-9_]*\)(.*/\1/p' | sort -u >"$work/promised"
[ "$(wc -l <"$work/promised")" -gt 150 ] || fail "the headers should promise functions"
comm -23 "$work/promised" "$work/seen" >"$work/out"
[ ! -s "$work/out" ] || fail "the library should have every function of its headers"
command="nm $prefix/lib/libmotet.a"
nm -g --defined-only "$prefix/lib/libmotet.a" 2>&1 | awk 'NF == 3 { print $NF }' | grep -v '^motet_' >"$work/out" &&
    fail "only motet_ names should be seen in the archive"

# Another program, by pkg-config, against the archive, and by find_package: the same run as motet's own.
motet run --quiet --board uno --for 1s --json --serial 0=null build/firmware/sensor.elf
digest=$(jq -r .digest "$work/out")
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
command=examples/leds.c
cc -Wall -Werror examples/leds.c -o leds $(pkg-config --cflags --libs motet) >"$work/out" 2>&1 || fail "pkg-config"
cc -Wall -Werror examples/leds.c -o leds-static $(pkg-config --cflags motet) "$prefix/lib/libmotet.a" \
    $(pkg-config --libs libelf libdw libxxhash libzstd lua5.4 jansson) -lm -ldl -lpthread >"$work/out" 2>&1 || fail "the archive"
cmake -S examples -B found -DCMAKE_PREFIX_PATH="$prefix" >"$work/out" 2>&1 && cmake --build found >>"$work/out" 2>&1 ||
    fail "find_package"
for program in ./leds ./leds-static found/leds; do
    command=$program
    $program uno build/firmware/sensor.elf >"$work/out" 2>"$work/err"
    status=$?
    expect_status 0
    expect_out "L on"
    expect_out "digest $digest"
done
command="child.c" status=0
cc -Wall -Werror child.c -o child $(pkg-config --cflags --libs motet) >"$work/out" 2>&1 || fail "pkg-config"
./child avr-gcc --version >"$work/out" 2>"$work/err" || fail "motet_cc should work from the shared library"
expect_out "still here, status 0"
./child avr-gcc -mmcu=atmega128 -E none.c >"$work/out" 2>"$work/err"
expect_out "still here, status 1"
./child /nowhere/avr-gcc -mmcu=atmega128 -E none.c >"$work/out" 2>"$work/err"
expect_out "still here, status 127"

# Parts of boards, by pkg-config and by find_package.
command="examples/display.c" status=0
for part in display thermometer; do
    cc -Wall -Werror -shared -fPIC -o $part.so examples/$part.c $(pkg-config --cflags motet) >"$work/out" 2>&1 || fail "pkg-config"
done
avr-gcc -mmcu=atmega328p -DF_CPU=16000000 -Os -g -o weather.elf examples/weather.c >"$work/out" 2>&1 || fail "avr-gcc"
for from in . found; do
    motet run --quiet --board uno --for 300ms --trace parts --sense temperature=31C --part $from/display.so:spi0,PB2,PB1,PB0 \
        --part $from/thermometer.so:i2c0,PD2 weather.elf
    expect_status 0
    expect_err "part display | 31.0 C         |too warm        |"
done

# Completion, and the Python package, which finds the library from where it lies itself.
for file in bash-completion/completions/motet zsh/site-functions/_motet fish/vendor_completions.d/motet.fish; do
    grep -q "help --completion" "$prefix/share/$file" || fail "there should be completion in $file"
done
if [ -n "${PYTHON:-}" ]; then
    unset LD_LIBRARY_PATH
    export PYTHONPATH=$prefix/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1
    command="python3" status=0
    cat >test_installed.py <<'END'
import motet

def test_installed(motet_node):
    node = motet_node("build/firmware/sensor.elf", board="uno")
    node.run_for("1s")
    print("digest", node.network.digest)
END
    "$PYTHON" -m pytest -q -s -p no:cacheprovider test_installed.py >"$work/out" 2>"$work/err" || fail "the Python package"
    expect_out "digest $digest"
fi

for page in motet motet-run motet-cc; do
    [ -s "$prefix/share/man/man1/$page.1" ] || fail "there should be a man page $page"
done
finish
