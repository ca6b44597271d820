/* Allocation: arrays that grow, copies, and what does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

static void what_is_new_is_zero(void **state)
{
    (void)state;
    uint64_t *array = memory_array(1000, sizeof *array);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], 0);
    free(array);
    void *empty = memory_array(0, 8);
    assert_non_null(empty);
    free(empty);
}

static void a_growing_array_keeps_what_it_has(void **state)
{
    (void)state;
    uint32_t *list = NULL;
    size_t room = 0, moves = 0;
    for (size_t i = 0; i < 10000; i++) {
        size_t before = room;
        list = memory_grow(list, &room, i, sizeof *list);
        assert_true(room > i);
        moves += room != before;
        list[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(list[i], i);
    assert_true(moves < 16); /* doubled, not one at a time */
    free(list);
}

static void room_can_be_asked_for_far_ahead(void **state)
{
    (void)state;
    size_t room = 0;
    char *text = memory_grow(NULL, &room, 65536, 1);
    assert_true(room > 65536);
    memset(text, 1, room);
    free(text);
}

static void copies_are_whole(void **state)
{
    (void)state;
    char *text = memory_string("node"), *number = memory_format("%s %d", text, 7);
    assert_string_equal(number, "node 7");
    free(text);
    free(number);
    void *none = memory_copy(NULL, 0);
    assert_non_null(none);
    free(none);
}

/* The signal that ends a child that does this. */
static int ends_by(void (*what)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        what();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void too_many(void)
{
    free(memory_array(SIZE_MAX / 4, 8));
}

static void too_many_more(void)
{
    free(memory_resize(NULL, SIZE_MAX / 2, 3));
}

static void too_large_a_tail(void)
{
    free(memory_with_array(16, SIZE_MAX / 8, 8));
}

static void too_far(void)
{
    size_t room = 0;
    free(memory_grow(NULL, &room, SIZE_MAX / 2 + 2, 1));
}

static void a_size_that_does_not_fit_ends_the_program(void **state)
{
    (void)state;
    assert_int_equal(ends_by(too_many), SIGABRT);
    assert_int_equal(ends_by(too_many_more), SIGABRT);
    assert_int_equal(ends_by(too_large_a_tail), SIGABRT);
    assert_int_equal(ends_by(too_far), SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_new_is_zero),
        cmocka_unit_test(a_growing_array_keeps_what_it_has),
        cmocka_unit_test(room_can_be_asked_for_far_ahead),
        cmocka_unit_test(copies_are_whole),
        cmocka_unit_test(a_size_that_does_not_fit_ends_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
