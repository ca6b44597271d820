# usage: testsupport.sh FOLDER [NODE]
# The adapter with a client written by others (@vscode/debugadapter-testsupport). Status 77 if it was not installed.
set -u
folder=$1 node=${2:-}
if ! [ -x "$node" ] || ! [ -e "$folder/node_modules/@vscode/debugadapter-testsupport" ]; then
    echo "skipped: the client is not there; see the test dap.install"
    exit 77
fi
NODE_PATH=$folder/node_modules exec timeout 250 "$node" "$(dirname "$0")/testsupport.js"
