/*
 * What is fuzzed: functions that take any bytes, and end the program if a promise is broken.
 */
#ifndef HARNESS_FUZZ_TARGETS_H
#define HARNESS_FUZZ_TARGETS_H

#include <stddef.h> /* size_t */
#include <stdint.h> /* int64_t, uint8_t */

#include <glasspool/cron.h>

struct target {
    const char *name; /* also of the folder with its corpus */
    void (*run)(const uint8_t *bytes, size_t size);
};

enum {
    TARGETS = 4
};
extern const struct target targets[TARGETS];
const struct target *target_of(const char *name); /* NULL: there is none */

void fuzz_cron(const uint8_t *, size_t);     /* lines: expression, time, rule of the zone */
void fuzz_duration(const uint8_t *, size_t); /* a duration as text */
void fuzz_table(const uint8_t *, size_t);    /* the registrar's file */
void fuzz_zone(const uint8_t *, size_t);     /* TZif, or a rule */

/* Everything that is promised of an expression, at that time and around it. */
void check_cron(const gp_cron *, int64_t time);

/* The bytes as a string that ends exactly where its memory does; the caller's to free. */
char *string_of(const uint8_t *bytes, size_t size);

/* Ends the program, with the words of the promise. */
#define promise(condition) ((condition) ? (void)0 : broken(__FILE__, __LINE__, #condition))
_Noreturn void broken(const char *file, int line, const char *condition);

#endif
