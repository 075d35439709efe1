/*
 * See lines.h. The addresses go to addr2line by a file without a name, since a command line has a
 * limit and a pipe in both directions can lock up; what it prints is read as it comes. (A reader of
 * DWARF of our own would be some thousand lines, and libdw one more thing to install.)
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1 */
#endif
#include "harness/report/lines.h"

#include <dlfcn.h> /* dladdr1 */
#include <link.h>  /* struct link_map */
#include <string.h>
#include <unistd.h>

bool lines_offset(const void *address, uintptr_t *offset)
{
    struct link_map *object;
    Dl_info symbol;

    if (dladdr1(address, &symbol, (void **)&object, RTLD_DL_LINKMAP) == 0)
        return false;
    *offset = (uintptr_t)address - object->l_addr;
    return object->l_name[0] == '\0';
}

static bool is_new_address(const char *line)
{
    return strncmp(line, "0x", 2) == 0;
}

static void advance(struct lines *lines)
{
    if (!fgets(lines->line, sizeof lines->line, lines->pipe))
        lines->line[0] = '\0';
    lines->line[strcspn(lines->line, "\n")] = '\0';
}

static FILE *written(const uintptr_t *offsets, size_t count)
{
    FILE *file = tmpfile();

    for (size_t i = 0; file && i < count; i++)
        fprintf(file, "%#jx\n", (uintmax_t)offsets[i]);
    if (file && fflush(file) != 0) {
        fclose(file);
        return NULL;
    }
    return file;
}

/* The link is read here: under Valgrind it leads to this program from within only. */
void lines_open(struct lines *lines, enum lines_files files, const uintptr_t *offsets, size_t count)
{
    char program[LINES_TEXT] = "", command[2 * LINES_TEXT];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    FILE *input = written(offsets, count);

    *lines = (struct lines){0};
    if (length > 0 && input) {
        snprintf(command, sizeof command, "addr2line -aipf%se '%s' 2>/dev/null </proc/%d/fd/%d",
                 files == LINES_NAMES ? "s" : "", program, (int)getpid(), fileno(input));
        lines->pipe = popen(command, "r");
    }
    if (lines->pipe)
        advance(lines);
    if (input)
        fclose(input);
}

bool lines_next(struct lines *lines, lines_frame_fn *write, void *context)
{
    const char *text = strstr(lines->line, ": ");
    bool known = lines->pipe && is_new_address(lines->line) && text && text[2] != '?';

    if (!lines->pipe)
        return false;
    if (known)
        write(context, text + 2);
    for (advance(lines); lines->line[0] && !is_new_address(lines->line); advance(lines))
        if (known)
            write(context, lines->line);
    return known;
}

void lines_close(struct lines *lines)
{
    if (lines->pipe)
        pclose(lines->pipe);
}
