# pip install, from a copy of the folder, against an installed Motet: the declarations come from its headers.
. "$SOURCE/tests/lib/core.sh"
mkdir -p "$work/prefix/lib/pkgconfig" && cp -r "$SOURCE/include" "$work/prefix" && cp -r "$SOURCE/python" "$work/package"
cp "$BUILD/libmotet.so.0" "$work/prefix/lib/libmotet.so.0" && cp "$BUILD/motet.pc" "$work/prefix/lib/pkgconfig"
install() {
    MOTET_PREFIX=$1 "$PYTHON" -m pip -q --disable-pip-version-check install --no-index --no-build-isolation --no-deps \
        --no-compile --target "$work/$2" "$work/package" >"$work/out" 2>"$work/err"
}
unset PYTHONPATH
command="pip install"
install "$work/prefix" there || fail "it should install"
PYTHONPATH=$work/there "$PYTHON" -c '
import motet, sys
node = motet.node(sys.argv[1], board="uno")
node.serial.expect("ready")
print(motet._library.lib, motet.__file__)' "$FIRMWARE/python-board.elf" >"$work/out" 2>"$work/err" || fail "it should work"
grep -q "$work/prefix/lib" "$work/out" || fail "it should use the library that it was installed against"
command="a library of another version" status=-
echo '/* changed */' >>"$work/prefix/include/motet/energy.h"
install "$work/prefix" other || fail "it should install"
PYTHONPATH=$work/other "$PYTHON" -c 'import motet' >"$work/out" 2>"$work/err" && fail "it should not be used"
grep -q "is of another version than this Python package; install both" "$work/err" || fail "and say why"
install "$work/nowhere" none && fail "without headers it should not install"
grep -q "motet/motet.h is not there; install libmotet-dev" "$work/out" "$work/err" || fail "and say why"
command="import motet" status=-
mv "$work/prefix/lib/libmotet.so.0" "$work/prefix/lib/gone"
PYTHONPATH=$work/there MOTET_LIBRARY=$work/none.so "$PYTHON" -c 'import motet' >"$work/out" 2>"$work/err" && fail "no library"
grep -q "Motet's shared library cannot be opened" "$work/err" || fail "the error should be a sentence"
finish
