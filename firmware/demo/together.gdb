# Nodes 4 and 5 together, for Motet's own debugger: to where node 5 is far worse off than its neighbour and follows one of
# the lost nodes, and from there back to where it left node 4's side.
break route_update node 5 if node[5].cost < 65535 && node[5].cost > node[4].cost + 100 && node[5].parent > 4
continue
when
print cost
print parent
node 4
when
print cost
node 5
delete 1
watch parent node 5 if node[5].parent <= 4
reverse-continue
when
print cost
node 4
when
print cost
