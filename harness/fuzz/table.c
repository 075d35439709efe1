/*
 * The registrar's file: read alone, and against a table of three. What is wrong must be told, with
 * a place that is in the file.
 */
#include <glasspool/registrar.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h> /* shm_open */
#include <sys/stat.h> /* S_IRUSR */
#include <unistd.h>

#include <glasspool/status.h>

#include "table/registrar.h"

#include "harness/fuzz/targets.h"

static char path[32];
static int file = -1;

/* The registrar takes a name: one file for all inputs, without a name but for its descriptor; in
   memory, since on a disk each input would wait for that. */
static void open_file(void)
{
    char name[64];

    snprintf(name, sizeof(name), "/glasspool-fuzz-%ld", (long)getpid());
    file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    promise(file >= 0 && shm_unlink(name) == 0);
    snprintf(path, sizeof(path), "/dev/fd/%d", file);
}

static void write_file(const uint8_t *bytes, size_t size)
{
    if (file < 0)
        open_file();
    promise(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size);
}

static int call(void *argument, void **result)
{
    (void)argument;
    (void)result;
    return 0;
}

static size_t lines_in(const uint8_t *bytes, size_t size)
{
    size_t lines = 1;

    for (size_t i = 0; i < size; i++)
        lines += bytes[i] == '\n';
    return lines;
}

static void check_errors(const gp_registrar_errors *errors, size_t lines, size_t size)
{
    promise(errors->count > 0);
    for (size_t i = 0; i < errors->count; i++) {
        const gp_registrar_error *error = &errors->errors[i];
        promise(error->source && error->text && *error->text);
        promise(error->line <= lines && error->column <= size + 1);
        promise(strlen(error->text) < 4096 && (!error->name || strlen(error->name) <= size + 16));
    }
}

static void check_verdict(int status, gp_registrar_errors *errors, size_t lines, size_t size)
{
    promise(status == GP_OK || status == GP_EINVAL);
    if (status == GP_EINVAL)
        check_errors(errors, lines, size);
    else
        promise(errors->count == 0);
    gp_registrar_errors_free(errors);
    promise(errors->count == 0 && !errors->errors);
}

static void read_alone(const uint8_t *bytes, size_t size)
{
    gp_registrar_errors errors = {0};
    gp_declared *entries = NULL;
    size_t count = 0, lines = lines_in(bytes, size);
    int status = gp__registrar_read("file", (const char *)bytes, size, &entries, &count, &errors);

    promise(status == GP_OK || (!entries && count == 0));
    promise(count <= lines);
    for (size_t i = 0; i < count; i++)
        promise(entries[i].name && strlen(entries[i].name) <= size && !entries[i].call);
    gp_registrar_entries_free(entries);
    check_verdict(status, &errors, lines, size);
}

static void read_against_table(const uint8_t *bytes, size_t size)
{
    static const gp_declared table[] = {
        GP_DECLARED_CRON("report", call, NULL, "0 30 9 * * MON-FRI", "UTC"),
        GP_DECLARED_RATE("sync", call, NULL, "500ms"),
        GP_DECLARED_DELAY("clean-up.old", call, NULL, "1h30m"),
    };
    gp_registrar_errors errors = {0};
    gp_registrar_config config = {.entries = table, .count = 3, .file = path, .errors = &errors};

    write_file(bytes, size);
    int status = gp_registrar_check(&config);
    check_verdict(status, &errors, lines_in(bytes, size), size);
    config.errors = NULL;
    promise(gp_registrar_check(&config) == status);
}

void fuzz_table(const uint8_t *bytes, size_t size)
{
    read_alone(bytes, size);
    read_against_table(bytes, size);
}
