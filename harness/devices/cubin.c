#include "devices/compiled_code.h"

#include "core/strings.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MACHINE_CUDA = 190, ABI_OF_BYTES = 8, SYMBOL_OBJECT = 1 };

struct elf {
    const unsigned char *bytes;
    size_t length;
    Elf64_Ehdr head;
    Elf64_Shdr names; /* the section of the sections' names */
};

/* ---- sections ---- */

static bool read_at(const struct elf *elf, uint64_t offset, void *to, size_t size) {
    if (offset > elf->length || size > elf->length - offset) {
        return false;
    }
    memcpy(to, elf->bytes + offset, size);
    return true;
}

static bool read_section(const struct elf *elf, unsigned index, Elf64_Shdr *section) {
    return index < elf->head.e_shnum && elf->head.e_shoff <= elf->length &&
           read_at(elf, elf->head.e_shoff + (uint64_t)index * sizeof *section, section,
                   sizeof *section);
}

static bool open_elf(const unsigned char *bytes, size_t length, struct elf *elf) {
    *elf = (struct elf){ .bytes = bytes, .length = length };
    return read_at(elf, 0, &elf->head, sizeof elf->head) &&
           memcmp(elf->head.e_ident, ELFMAG, SELFMAG) == 0 &&
           elf->head.e_ident[EI_CLASS] == ELFCLASS64 && elf->head.e_machine == MACHINE_CUDA &&
           elf->head.e_shentsize == sizeof(Elf64_Shdr);
}

/* A word of a table of strings; "" where it does not end within the file. */
static const char *string_at(const struct elf *elf, const Elf64_Shdr *table, uint32_t at) {
    if (table->sh_offset > elf->length || at >= elf->length - table->sh_offset) {
        return "";
    }
    const char *word = (const char *)elf->bytes + table->sh_offset + at;
    const size_t room = elf->length - table->sh_offset - at;
    return memchr(word, '\0', room) ? word : "";
}

static const char *name_of(struct elf *elf, const Elf64_Shdr *section) {
    return read_section(elf, elf->head.e_shstrndx, &elf->names)
               ? string_at(elf, &elf->names, section->sh_name)
               : "";
}

static bool find_section(struct elf *elf, const char *name, Elf64_Shdr *section) {
    for (unsigned s = 0; read_section(elf, s, section); s++) {
        if (strcmp(name_of(elf, section), name) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- what there is ---- */

bool cubin_architecture(const unsigned char *bytes, size_t length, int *architecture) {
    struct elf elf;
    if (!open_elf(bytes, length, &elf)) {
        return false;
    }
    const bool second_byte = elf.head.e_ident[EI_ABIVERSION] >= ABI_OF_BYTES;
    *architecture = (int)(elf.head.e_flags >> (second_byte ? 8 : 0) & 0xff);
    return *architecture > 0;
}

/* A record of .nv.info: a byte for its form, one for what it is, two for a value or, of that form,
 * for the bytes that follow. */
enum { FORM_OF_BYTES = 4, RECORD_OF_PARAMETER = 0x17, RECORD_HEAD = 4, PARAMETER_BYTES = 12 };

/* Number, place, and in the upper 14 bits of the last word the size. */
static void note_parameter(const struct elf *elf, uint64_t at, struct compiled_parameters *found) {
    uint16_t number;
    uint32_t last;
    if (!read_at(elf, at + 4, &number, sizeof number) ||
        !read_at(elf, at + 8, &last, sizeof last) || number >= COMPILED_MAX_PARAMETERS) {
        return;
    }
    found->bytes[number] = last >> 18;
    found->count = number >= found->count ? number + 1 : found->count;
}

bool cubin_parameters(const unsigned char *bytes, size_t length, const char *kernel,
                      struct compiled_parameters *parameters) {
    struct elf elf;
    struct strbuf name = { 0 };
    Elf64_Shdr info;
    *parameters = (struct compiled_parameters){ .count = 0 };
    strbuf_append(&name, ".nv.info.%s", kernel);
    const bool found = open_elf(bytes, length, &elf) && !name.failed &&
                       find_section(&elf, name.data, &info) && info.sh_size <= length;
    strbuf_free(&name);
    uint8_t form[2];
    uint16_t size;
    for (uint64_t at = 0; found && at + RECORD_HEAD <= info.sh_size;) {
        if (!read_at(&elf, info.sh_offset + at, form, sizeof form) ||
            !read_at(&elf, info.sh_offset + at + 2, &size, sizeof size)) {
            break;
        }
        const bool has_bytes = form[0] == FORM_OF_BYTES;
        if (has_bytes && form[1] == RECORD_OF_PARAMETER && size == PARAMETER_BYTES) {
            note_parameter(&elf, info.sh_offset + at + RECORD_HEAD, parameters);
        }
        at += RECORD_HEAD + (has_bytes ? size : 0U);
    }
    return found;
}

void cubin_list_kernels(const unsigned char *bytes, size_t length, struct strbuf *names) {
    static const char prefix[] = ".nv.info.";
    struct elf elf;
    Elf64_Shdr section;
    const bool opened = open_elf(bytes, length, &elf);
    const char *between = "";
    for (unsigned s = 0; opened && read_section(&elf, s, &section); s++) {
        const char *name = name_of(&elf, &section);
        if (begins_with(name, prefix)) {
            strbuf_append(names, "%s%.100s", between, name + sizeof prefix - 1);
            between = ", ";
        }
    }
}

/* The symbols of the file, one after the other. */
struct symbols {
    struct elf *elf;
    Elf64_Shdr table, strings;
    uint64_t at;
};

static bool begin_symbols(struct elf *elf, struct symbols *symbols) {
    *symbols = (struct symbols){ .elf = elf };
    return find_section(elf, ".symtab", &symbols->table) &&
           read_section(elf, symbols->table.sh_link, &symbols->strings);
}

static bool next_symbol(struct symbols *symbols, Elf64_Sym *symbol) {
    const uint64_t at = symbols->at;
    symbols->at += sizeof *symbol;
    return symbols->at <= symbols->table.sh_size &&
           read_at(symbols->elf, symbols->table.sh_offset + at, symbol, sizeof *symbol);
}

/* The symbol of an object that lies in the section; "" where there is none. */
static const char *object_in(struct elf *elf, unsigned section) {
    struct symbols symbols;
    Elf64_Sym symbol;
    const bool there = begin_symbols(elf, &symbols);
    while (there && next_symbol(&symbols, &symbol)) {
        if (symbol.st_shndx == section && ELF64_ST_TYPE(symbol.st_info) == SYMBOL_OBJECT) {
            return string_at(elf, &symbols.strings, symbol.st_name);
        }
    }
    return "";
}

/* Whether code that lies elsewhere is called by this name. */
static bool calls(struct elf *elf, const char *name) {
    struct symbols symbols;
    Elf64_Sym symbol;
    bool called = false;
    const bool there = begin_symbols(elf, &symbols);
    while (there && !called && next_symbol(&symbols, &symbol)) {
        called = symbol.st_shndx == SHN_UNDEF &&
                 strcmp(string_at(elf, &symbols.strings, symbol.st_name), name) == 0;
    }
    return called;
}

/* Whether the section holds variables in device memory, whatever its name: it is written to, and is
 * no shared memory. */
static bool keeps_values(struct elf *elf, const Elf64_Shdr *section) {
    const char *name = name_of(elf, section);
    const bool writable = section->sh_flags & SHF_WRITE && section->sh_flags & SHF_ALLOC;
    return section->sh_size > 0 &&
           (begins_with(name, ".nv.global") || (writable && !begins_with(name, ".nv.shared.")));
}

bool cubin_state_find(const unsigned char *bytes, size_t length, char *name, size_t size) {
    struct elf elf;
    Elf64_Shdr section;
    const bool opened = open_elf(bytes, length, &elf);
    for (unsigned s = 0; opened && read_section(&elf, s, &section); s++) {
        if (keeps_values(&elf, &section)) {
            const char *object = object_in(&elf, s);
            (void)snprintf(name, size, "%s", *object ? object : name_of(&elf, &section));
            return true;
        }
    }
    if (opened && calls(&elf, CUDA_STATE_HEAP)) {
        (void)snprintf(name, size, "%s", CUDA_STATE_HEAP);
        return true;
    }
    return false;
}
