/* Runs a firmware for a second on a board and prints when each LED changes.
 *
 *     cc leds.c -o leds $(pkg-config --cflags --libs motet)     or find_package(motet), see CMakeLists.txt
 *     ./leds uno sensor.elf
 */
#include <motet/motet.h>
#include <stdio.h>

static void pin_changed(void *context, const motet_node *n, uint64_t tick, unsigned pin, bool level)
{
    const motet_machine *m = context;
    struct motet_led led;
    (void)n;
    for (size_t i = 0; motet_machine_led(m, i, &led); i++)
        if (led.pin == pin)
            printf("%.6f s: %s %s\n", (double)tick / (double)motet_machine_hz(m), led.name,
                   level != led.active_low ? "on" : "off");
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: leds BOARD FIRMWARE\n");
        return 2;
    }
    struct motet_error e;
    struct motet_options options = MOTET_OPTIONS_DEFAULT;
    options.board = argv[1];
    motet_machine *m = motet_machine_load(argv[2], &options, &e);
    if (!m) {
        fprintf(stderr, "leds: %s\n", e.text);
        return 2;
    }
    motet_network *network = motet_network_of_one(m, 0, 0);
    motet_node *n = motet_network_at(network, 0);
    motet_node_observe(n, &(struct motet_observer){.context = m, .pin = pin_changed});
    motet_network_run(network, MOTET_SECOND);
    char digest[MOTET_DIGEST_TEXT];
    motet_network_digest(network, digest);
    printf("%llu cycles, digest %s\n", (unsigned long long)motet_node_cycles(n), digest);
    motet_network_free(network);
    motet_machine_free(m);
    return 0;
}
