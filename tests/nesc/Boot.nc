interface Boot {
    event void booted();
}
