/*
 * Global variables. The objects of an explored program have their data sections renamed
 * (control), and the linker says where such sections begin and end. Whatever else is
 * linked, the harness among it, keeps its variables from execution to execution.
 *
 * Thread-local variables. The thread-local storage of the executable is one block, at the same
 * place for as long as the one operating-system thread lives; switching fibers copies it out and
 * in. It is small. The harness has none of its own, and that of the system's libraries, errno
 * apart, is nobody's business.
 *
 * Hence the thread-local variables of all threads have the same addresses. A thread that is given
 * the address of another's finds its own there, and a thread cannot be known by such an address. A
 * program that does either would be judged wrongly, so the execution ends and says so: at once
 * where the address goes through pthread_create or an atomic (runtime_pass_on), later where it was
 * written to plain memory (escapes.c). Rejected: another thread pointer for each fiber, since the
 * system's library keeps its own business beside it.
 */
#include "harness/explore/globals.h"

#include <link.h> /* dl_iterate_phdr */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern unsigned char __start_gpx_data[] __attribute__((weak)),
    __stop_gpx_data[] __attribute__((weak));
extern unsigned char __start_gpx_bss[] __attribute__((weak)),
    __stop_gpx_bss[] __attribute__((weak));

static struct {
    unsigned char *start;
    size_t size;
    unsigned char *kept;
} regions[GLOBALS_REGIONS];

enum {
    PART = 512 /* of a region, compared in one call */
};

struct globals_tls globals_tls;

static bool keep_region(unsigned index, unsigned char *start, const unsigned char *stop)
{
    regions[index].start = start;
    regions[index].size = start ? (size_t)(stop - start) : 0;
    regions[index].kept = malloc(regions[index].size + 1);
    if (regions[index].kept && start)
        memcpy(regions[index].kept, start, regions[index].size);
    return regions[index].kept != NULL;
}

/* The executable comes first. */
static int find_tls(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data) {
            globals_tls.start = info->dlpi_tls_data;
            globals_tls.size = info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

bool globals_prepare(void)
{
    dl_iterate_phdr(find_tls, NULL);
    globals_tls.fresh = malloc(globals_tls.size + 1);
    if (!globals_tls.fresh)
        return false;
    memcpy(globals_tls.fresh, globals_tls.start ? globals_tls.start : globals_tls.fresh,
           globals_tls.size);
    return keep_region(0, __start_gpx_data, __stop_gpx_data) &&
           keep_region(1, __start_gpx_bss, __stop_gpx_bss);
}

void globals_restore(void)
{
    for (unsigned i = 0; i < GLOBALS_REGIONS; i++)
        if (regions[i].size > 0)
            memcpy(regions[i].start, regions[i].kept, regions[i].size);
}

bool globals_region(unsigned index, void **start, size_t *size)
{
    if (index >= GLOBALS_REGIONS)
        return false;
    *start = regions[index].start;
    *size = regions[index].size;
    return true;
}

/* The position counts the bytes of both regions, one behind the other. */
bool globals_next_change(size_t *at, const void **start, size_t *size)
{
    size_t before = 0;

    for (unsigned i = 0; i < GLOBALS_REGIONS; before += regions[i++].size)
        while (*at - before < regions[i].size) {
            size_t from = *at - before, rest = regions[i].size - from;
            *size = rest < PART ? rest : PART;
            *start = regions[i].start + from;
            *at += *size;
            if (memcmp(*start, regions[i].kept + from, *size) != 0)
                return true;
        }
    return false;
}
