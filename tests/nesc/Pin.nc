interface Pin {
    async command void set();
    async command void clear();
    async command void toggle();
    async command bool get();
    async command void makeOutput();
}
