/*
 * See variables.h. The executable is mapped once, when the first name is asked for, and stays so;
 * its table is in no order, and read from end to end for each question: stories ask a few dozen.
 */
#include "harness/explore/variables.h"

#include <ctype.h>
#include <fcntl.h>
#include <link.h> /* ElfW */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/report/lines.h" /* lines_offset */

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Shdr) elf_section;
typedef ElfW(Sym) elf_symbol;

static struct {
    bool asked;
    const elf_symbol *symbols;
    size_t count;
    const char *names;
    size_t names_size;
} table;

/* NULL: it cannot be read. */
static const unsigned char *map_executable(size_t *size)
{
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *start = MAP_FAILED;

    if (file >= 0 && fstat(file, &status) == 0) {
        *size = (size_t)status.st_size;
        start = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0)
        close(file);
    return start == MAP_FAILED ? NULL : start;
}

static bool is_inside(const elf_section *section, size_t size)
{
    return section->sh_offset <= size && section->sh_size <= size - section->sh_offset;
}

static void find_table(const unsigned char *start, size_t size)
{
    const elf_header *header = (const void *)start;

    if (size < sizeof *header || header->e_shoff > size ||
        header->e_shnum > (size - header->e_shoff) / sizeof(elf_section))
        return;
    const elf_section *sections = (const void *)(start + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum)
            continue;
        const elf_section *names = &sections[sections[i].sh_link];
        if (!is_inside(&sections[i], size) || !is_inside(names, size))
            continue;
        table.symbols = (const void *)(start + sections[i].sh_offset);
        table.count = sections[i].sh_size / sizeof *table.symbols;
        table.names = (const char *)start + names->sh_offset;
        table.names_size = names->sh_size;
    }
}

static void prepare(void)
{
    size_t size = 0;
    const unsigned char *start = table.asked ? NULL : map_executable(&size);

    table.asked = true;
    if (start)
        find_table(start, size);
}

/* A variable in a function is called "count.3" by gcc and "function.count" by clang. */
static void copy_name(const char *name, char copy[VARIABLE_NAME])
{
    const char *dot = strchr(name, '.');
    bool numbered = dot && isdigit((unsigned char)dot[1]);

    if (numbered)
        snprintf(copy, VARIABLE_NAME, "%.*s", (int)(dot - name), name);
    else
        snprintf(copy, VARIABLE_NAME, "%s", dot ? dot + 1 : name);
}

bool variables_find(const void *address, struct variable *found)
{
    uintptr_t offset;

    prepare();
    if (!lines_offset(address, &offset))
        return false;
    for (size_t i = 0; i < table.count; i++) {
        const elf_symbol *symbol = &table.symbols[i];
        if ((symbol->st_info & 0xF) != STT_OBJECT || symbol->st_name >= table.names_size ||
            offset - symbol->st_value >= symbol->st_size)
            continue;
        copy_name(table.names + symbol->st_name, found->name);
        found->offset = offset - symbol->st_value;
        return true;
    }
    return false;
}
