-- Each sum that a thread has come to, in the order in which they come.
watch("sums", function(a)
    print(string.format("%x %x", a.address, a.value))
end)
