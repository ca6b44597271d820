/* Files cut at every byte, and files with bytes changed at random: loading ends with an image or with a sentence.
 *
 * What is loaded is then used in every way, since an image that loads must be valid. Run it in a sanitizer build, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/debug.h"
#include "unit/sanitized.h"

struct bytes {
    uint8_t *at;
    size_t size;
};

static struct bytes file_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    struct bytes b = {.at = malloc(1 << 20)};
    assert_non_null(b.at);
    b.size = fread(b.at, 1, 1 << 20, f);
    assert_true(b.size > 0 && b.size < 1 << 20);
    fclose(f);
    return b;
}

static bool noise(void *context, uint32_t address, void *to, uint32_t size)
{
    (void)context;
    for (uint32_t n = 0; n < size; n++)
        ((uint8_t *)to)[n] = (uint8_t)((address + n) * 37 + 1);
    return address % 7 != 0;
}

static void variables_use(const struct image *i)
{
    const struct debug_variable *v;
    size_t count = debug_variables(i, &v);
    uint8_t *bytes = calloc(1, 1 << 16);
    char text[200];
    struct motet_error e;
    uint32_t address;
    const struct debug_type *type;
    struct debug_field bits;
    for (size_t n = 0; n < count; n++) {
        assert_true(v[n].name[0]);
        assert_true(strlen(v[n].type->name) < 2000);
        if (v[n].type->size <= 1 << 16)
            debug_format(v[n].type, bytes, text, sizeof text);
        static const char *const ways[] = {"%s[1]", "*%s", "%s->next->value", "%s.at.x", "%s[row].link"};
        for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
            snprintf(text, sizeof text, ways[k], v[n].name);
            if (debug_resolve(i, text, noise, NULL, &address, &type, &bits, &e) && type->size <= 1 << 16)
                bits.bit_size ? debug_format_bits(&bits, bytes, text, sizeof text)
                              : debug_format(type, bytes, text, sizeof text);
        }
    }
    free(bytes);
}

static void image_use(const struct image *i)
{
    const struct image_segment *s;
    const struct image_symbol *symbol;
    const char *near[4];
    char text[100];
    unsigned sum = 0;
    size_t count = image_segments(i, &s);
    assert_true(count > 0);
    for (size_t n = 0; n < count; n++)
        for (uint32_t k = 0; k < s[n].size; k++)
            sum += s[n].bytes[k];
    count = image_symbols(i, &symbol);
    for (size_t n = 0; n < count; n++)
        assert_non_null(image_symbol_named(i, symbol[n].name));
    for (uint32_t a = 0; a < 0x300; a += 3) {
        image_place(i, a, text, sizeof text);
        image_place(i, 0x800000 + a, text, sizeof text);
        struct debug_frame frame = {.pc = a, .after_call = a & 1}, caller;
        frame.registers[1] = frame.registers[32] = sum & 0xfff;
        for (int depth = 0; depth < 50 && debug_unwind(i, &frame, noise, NULL, &caller); depth++)
            frame = caller;
    }
    image_nearest_names(i, "coutner", near, 4);
    variables_use(i);
}

/* Returns whether it could be loaded. The bytes are on the heap and exactly as long as they are, so that a read beyond
 * them is noticed. */
static bool try(const uint8_t *bytes, size_t size)
{
    struct motet_error e = {""};
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    struct image *i = image_parse("hostile", copy, size, &e);
    free(copy);
    if (!i) {
        assert_memory_equal(e.text, "hostile: ", 9);
        assert_true(strlen(e.text) > 20);
        return false;
    }
    image_use(i);
    image_free(i);
    return true;
}

static void every_cut_is_refused(const char *path)
{
    struct bytes b = file_read(path);
    assert_true(try(b.at, b.size));
    for (size_t size = 0; size < b.size; size += size < 200 || b.size - size < 300 ? 1 : 37)
        if (try(b.at, size))
            fail_msg("%s cut to %zu bytes was loaded", path, size);
    free(b.at);
}

static uint32_t dice(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void changed(const char *path, uint32_t seed, unsigned rounds)
{
    struct bytes b = file_read(path);
    uint8_t *hurt = malloc(b.size);
    assert_non_null(hurt);
    for (unsigned round = 0; round < rounds; round++) {
        memcpy(hurt, b.at, b.size);
        unsigned changes = 1 + dice(&seed) % 8;
        /* Half of the time a stretch is hit several times, so that one structure is damaged in more than one way. */
        size_t start = dice(&seed) % b.size, span = dice(&seed) % 2 ? b.size : 64;
        for (unsigned n = 0; n < changes; n++) {
            static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0xfe};
            size_t at = (start + dice(&seed) % span) % b.size;
            uint32_t how = dice(&seed);
            hurt[at] = how & 0x100 ? (uint8_t)how : edges[how % sizeof edges];
        }
        try(hurt, b.size);
    }
    free(hurt);
    free(b.at);
}

static void cut_elf_is_refused(void **state)
{
    (void)state;
    every_cut_is_refused(FIRMWARE_DIR "/shapes.elf");
    every_cut_is_refused(FIRMWARE_DIR "/places.elf");
}

static void cut_hex_is_refused(void **state)
{
    (void)state;
    static const char hex[] = ":0400100001020304E2\r\n:02001400AABB85\r\n:020000021000EC\n:0100000055AA\n:00000001FF";
    assert_true(try((const uint8_t *)hex, sizeof hex - 1));
    for (size_t size = 0; size < sizeof hex - 1; size++)
        assert_false(try((const uint8_t *)hex, size));
    uint32_t seed = 7;
    for (unsigned round = 0; round < 5000; round++) {
        char hurt[sizeof hex];
        memcpy(hurt, hex, sizeof hex);
        for (unsigned n = 1 + dice(&seed) % 3; n > 0; n--)
            hurt[dice(&seed) % (sizeof hex - 1)] =
                dice(&seed) % 4 ? "0123456789ABCDEF:\n"[dice(&seed) % 18] : (char)dice(&seed);
        try((const uint8_t *)hurt, sizeof hex - 1);
    }
}

#ifndef ROUNDS
#define ROUNDS (SANITIZED_SHARE > 1 ? 600 : 2000)
#endif

static void changed_elf_is_loaded_or_refused(void **state)
{
    (void)state;
    changed(FIRMWARE_DIR "/shapes.elf", 1, ROUNDS);
    changed(FIRMWARE_DIR "/shapes2.elf", 2, ROUNDS / 2);
    changed(FIRMWARE_DIR "/places.elf", 3, ROUNDS / 2);
    changed(FIRMWARE_DIR "/places-stabs.elf", 5, ROUNDS / 2);
    changed(FIRMWARE_DIR "/classes.elf", 6, ROUNDS / 2);
    FILE *built = fopen(FIRMWARE_DIR "/shapes-msp430-5.elf", "rb");
    if (built) {
        fclose(built);
        changed(FIRMWARE_DIR "/shapes-msp430-5.elf", 4, ROUNDS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_elf_is_refused),
        cmocka_unit_test(cut_hex_is_refused),
        cmocka_unit_test(changed_elf_is_loaded_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
