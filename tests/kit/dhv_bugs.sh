protocol=dhv
. "$SOURCE/tests/kit/dip_bugs.sh"
