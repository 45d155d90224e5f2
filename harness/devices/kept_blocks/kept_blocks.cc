// C++'s operator delete, which keeps small blocks once it is told to: kept_blocks.h says why.
// operator new stands beside it; both take their memory from malloc(), as the C++ library does.
#include "devices/kept_blocks/kept_blocks.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

// An instruction takes 72 bytes and 32 for each operand. Larger blocks are tables and sources,
// which are many times as much memory.
constexpr std::size_t most_kept = 512;

// Lies in the freed block itself: malloc() gives none that is smaller.
struct kept_block {
    kept_block *next;
};

std::atomic<bool> is_keeping{ false };
std::atomic<kept_block *> kept{ nullptr };

void *new_block(std::size_t size) {
    void *block = std::malloc(size > 0 ? size : 1);
    if (!block) {
        throw std::bad_alloc();
    }
    return block;
}

void delete_block(void *memory) {
    if (!memory || !is_keeping.load(std::memory_order_relaxed) ||
        malloc_usable_size(memory) > most_kept) {
        std::free(memory);
        return;
    }
    auto *block = static_cast<kept_block *>(memory);
    block->next = kept.load();
    while (!kept.compare_exchange_weak(block->next, block)) {
    }
}

} // namespace

void pairmark_keep_blocks(void) {
    is_keeping = true;
}

void pairmark_release_blocks(void) {
    for (kept_block *block = kept.exchange(nullptr); block;) {
        kept_block *next = block->next;
        std::free(block);
        block = next;
    }
}

void *operator new(std::size_t size) {
    return new_block(size);
}

void *operator new[](std::size_t size) {
    return new_block(size);
}

void operator delete(void *memory) noexcept {
    delete_block(memory);
}

void operator delete[](void *memory) noexcept {
    delete_block(memory);
}

void operator delete(void *memory, std::size_t) noexcept {
    delete_block(memory);
}

void operator delete[](void *memory, std::size_t) noexcept {
    delete_block(memory);
}

void operator delete(void *memory, std::align_val_t) noexcept {
    delete_block(memory);
}

void operator delete[](void *memory, std::align_val_t) noexcept {
    delete_block(memory);
}

void operator delete(void *memory, std::size_t, std::align_val_t) noexcept {
    delete_block(memory);
}

void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept {
    delete_block(memory);
}
