/*
 * See symbols.h. A table from addresses to frames, filled by addr2line (lines.h) in one go, and the
 * source files that were asked for, kept whole.
 */
#include "harness/explore/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/lines.h"

struct symbol {
    const void *address;
    struct frame *frames;
    size_t count;
};

static struct symbol *symbols; /* in the order of their addresses */
static size_t symbol_count;

static int by_address(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;

    return (a->address > b->address) - (a->address < b->address);
}

static struct symbol *find(const void *address, size_t count)
{
    struct symbol wanted = {.address = address};

    return count ? bsearch(&wanted, symbols, count, sizeof wanted, by_address) : NULL;
}

/* ---- filling the table ---- */

/* "function at path:line", or with " (inlined by) " before it. Without memory the frame is lost. */
static void add_frame(void *context, const char *text)
{
    struct symbol *symbol = context;
    const char *inlined = " (inlined by) ";
    struct frame *frames = realloc(symbol->frames, (symbol->count + 1) * sizeof *frames);

    if (strncmp(text, inlined, strlen(inlined)) == 0)
        text += strlen(inlined);
    char *copy = strdup(text), *path = copy ? strstr(copy, " at ") : NULL;
    char *line = path ? strrchr(path, ':') : NULL;
    if (frames)
        symbol->frames = frames;
    if (!frames || !line) {
        free(copy);
        return;
    }
    *path = *line = '\0';
    frames[symbol->count++] = (struct frame){
        .function = copy, .path = path + strlen(" at "), .line = (unsigned)atoi(line + 1)};
}

/* The new ones among the addresses, once each, behind the old ones; their number. */
static size_t add_new(const void *const *addresses, size_t count, uintptr_t *offsets)
{
    size_t old = symbol_count;

    for (size_t i = 0; i < count; i++)
        if (!find(addresses[i], old))
            symbols[symbol_count++] = (struct symbol){.address = addresses[i]};
    qsort(symbols + old, symbol_count - old, sizeof *symbols, by_address);
    size_t end = symbol_count;
    symbol_count = old;
    for (size_t i = old; i < end; i++) {
        uintptr_t offset;
        bool twice = symbol_count > old && symbols[symbol_count - 1].address == symbols[i].address;
        if (twice || !symbols[i].address ||
            !lines_offset((const char *)symbols[i].address - 1, &offset))
            continue;
        offsets[symbol_count - old] = offset;
        symbols[symbol_count++] = symbols[i];
    }
    return symbol_count - old;
}

void symbols_load(const void *const *addresses, size_t count)
{
    struct symbol *larger = realloc(symbols, (symbol_count + count + 1) * sizeof *larger);
    uintptr_t *offsets = malloc((count + 1) * sizeof *offsets);
    size_t old = symbol_count;
    struct lines lines;

    if (larger)
        symbols = larger;
    size_t added = larger && offsets ? add_new(addresses, count, offsets) : 0;
    if (added > 0) {
        lines_open(&lines, LINES_PATHS, offsets, added);
        for (size_t i = 0; i < added; i++)
            lines_next(&lines, add_frame, &symbols[old + i]);
        lines_close(&lines);
        qsort(symbols, symbol_count, sizeof *symbols, by_address);
    }
    free(offsets);
}

const struct frame *symbols_at(const void *address, size_t *count)
{
    const struct symbol *symbol = find(address, symbol_count);

    *count = symbol ? symbol->count : 0;
    return *count > 0 ? symbol->frames : NULL;
}

bool symbols_is_ours(const struct frame *frame)
{
    static const char folder[] = "harness/explore/";
    const char *inside = strstr(frame->path, folder);

    return inside && !strchr(inside + strlen(folder), '/'); /* tests and examples are not */
}

const char *symbols_file(const struct frame *frame)
{
    const char *slash = strrchr(frame->path, '/');

    return slash ? slash + 1 : frame->path;
}

/* ---- source ---- */

struct source {
    struct source *next;
    const char *path;
    char **lines;
    unsigned count;
};

static struct source *sources;

static void add_line(struct source *source, const char *text)
{
    char **lines = realloc(source->lines, (source->count + 1) * sizeof *lines);

    if (!lines)
        return;
    source->lines = lines;
    lines[source->count] = strdup(text);
    if (lines[source->count])
        lines[source->count++][strcspn(text, "\n")] = '\0';
}

static struct source *read_source(const char *path)
{
    struct source *source = calloc(1, sizeof *source);
    FILE *file = fopen(path, "r");
    char line[1024];

    while (source && file && fgets(line, sizeof line, file))
        add_line(source, line);
    if (file)
        fclose(file);
    if (source) {
        source->path = path;
        source->next = sources;
        sources = source;
    }
    return source;
}

const char *symbols_source(const struct frame *frame)
{
    const struct source *source = sources;

    while (source && strcmp(source->path, frame->path) != 0)
        source = source->next;
    if (!source)
        source = read_source(frame->path);
    return source && frame->line > 0 && frame->line <= source->count
               ? source->lines[frame->line - 1]
               : NULL;
}
