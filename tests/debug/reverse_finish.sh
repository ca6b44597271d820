# reverse-finish goes to the call; then forward again comes back into the function.
. ./session.sh
session debug-counter <<'.'
break square if n == 3
continue
delete
next
next
reverse-finish
step
print n
.
expect 'square (n=3 '
expect 'add (n=3 '
expect 'square (n=3 '
expect '$1 = 3'
finish
