# usage: install.sh FOLDER [NPM]
# Installs Microsoft's client for tests of debug adapters, once. Status 77 if it cannot be had.
set -u
folder=$1 npm=${2:-} client=@vscode/debugadapter-testsupport@1.68.0
[ -e "$folder/node_modules/@vscode/debugadapter-testsupport" ] && exit 0
if ! [ -x "$npm" ]; then
    echo "skipped: there is no npm, with which the client is installed"
    exit 77
fi
mkdir -p "$folder"
if ! timeout 120 "$npm" install --prefix "$folder" --no-audit --no-fund --no-package-lock --loglevel=error \
    "$client" >"$folder/install.log" 2>&1; then
    echo "skipped: npm cannot install $client; its last words:"
    tail -n 3 "$folder/install.log"
    exit 77
fi
