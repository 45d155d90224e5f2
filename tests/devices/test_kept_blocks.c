/* C++'s operator delete of the program: once told to, it keeps freed blocks, so that no address
 * comes twice until they are released. PoCL 5.0 to 6.x compile wrongly without that
 * (devices/kept_blocks/kept_blocks.h). */
#include "devices/kept_blocks/kept_blocks.h"

#include <malloc.h>

#include "support.h"

/* operator new and operator delete, by the names that the C++ ABI gives them. */
extern void *new_block(size_t size) __asm__("_Znwm");
extern void delete_block(void *block) __asm__("_ZdlPv");
extern void delete_sized(void *block, size_t size) __asm__("_ZdlPvm");
extern void delete_array(void *block) __asm__("_ZdaPv");

enum { BLOCKS = 1000, BYTES = 88 /* of an instruction */ };

static int by_address(const void *a, const void *b) {
    const uintptr_t left = *(const uintptr_t *)a;
    const uintptr_t right = *(const uintptr_t *)b;
    return (left > right) - (left < right);
}

/* How many of so many blocks, each freed before the next is taken, lie where another lay. */
static int count_reused(void (*free_block)(void *block)) {
    uintptr_t places[BLOCKS];
    int reused = 0;
    for (int i = 0; i < BLOCKS; i++) {
        void *block = new_block(BYTES);
        assert_non_null(block);
        places[i] = (uintptr_t)block;
        free_block(block);
    }
    qsort(places, BLOCKS, sizeof *places, by_address);
    for (int i = 1; i < BLOCKS; i++) {
        reused += places[i] == places[i - 1];
    }
    return reused;
}

static void delete_of_known_size(void *block) {
    delete_sized(block, BYTES);
}

TEST(no_address_comes_twice) {
    if (!pairmark_keep_blocks) {
        skip_because("built with sanitizers, which have an operator delete of their own");
    }
    const int reused = count_reused(delete_block);
    assert_true(reused > 0); /* until it is told to keep them */
    pairmark_keep_blocks();
    assert_int_equal(count_reused(delete_block), 0);
    assert_int_equal(count_reused(delete_of_known_size), 0);
    assert_int_equal(count_reused(delete_array), 0);
    delete_block(NULL);
}

TEST(released_blocks_are_free) {
    if (!pairmark_keep_blocks) {
        skip_because("built with sanitizers, which have an operator delete of their own");
    }
    pairmark_release_blocks();
    const size_t before = mallinfo2().uordblks;
    assert_int_equal(count_reused(delete_block), 0);
    assert_true(mallinfo2().uordblks >= before + (size_t)BLOCKS * BYTES);
    pairmark_release_blocks();
    assert_true(mallinfo2().uordblks <= before);
}
