# usage: install.sh, with BUILD, FIRMWARE, SOURCE, MOTET and CMAKE in the environment
# Installs into a temporary prefix, moves that elsewhere, hides the source tree and the build folder, and then runs,
# debugs, compiles, collects and replays with what was installed. Also the tour of the README, completion, and Python.
. "$(dirname "$0")/../lib/core.sh"
if ! unshare -rm true 2>/dev/null; then
    echo "skipped: the sources cannot be hidden, because unshare -rm is not allowed here"
    exit 77
fi
"$CMAKE" --install "$BUILD" --prefix "$work/first" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
mv "$work/first" "$work/prefix"
mkdir -p "$work/here/build/firmware" "$work/here/docs"
cp "$FIRMWARE/sensor.elf" "$FIRMWARE/network-cc2420-beacon.elf" "$work/here/build/firmware"
cp -r "$SOURCE/docs/tour.sh" "$work/here/docs"
cp -r "$SOURCE/examples" "$work/here"
cp "$SOURCE/tests/install/child.c" "$SOURCE/README.md" "$SOURCE/tests/record/app.c" "$SOURCE/tests/install/inside.sh" "$SOURCE/firmware/demo/sensor.c" "$work/here"
cp -r "$SOURCE/tests/lib" "$work/here"
mkdir "$work/empty"
export work
unshare -rm sh -c '
    mount --bind "$work/empty" "$SOURCE" && mount --bind "$work/empty" "$BUILD" 2>/dev/null
    [ ! -e "$SOURCE/CMakeLists.txt" ] && [ ! -e "$BUILD/motet" ] || { echo "the sources are not hidden"; exit 1; }
    cd "$work/here" && unset MOTET_TARGET && FIRMWARE=$work/here/build/firmware MOTET=$work/prefix/bin/motet PREFIX=$work/prefix exec sh ./inside.sh'
