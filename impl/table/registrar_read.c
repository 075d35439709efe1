/*
 * A file without a table: its entries, for who chooses the functions by name; or only wants to know
 * whether the file is good. They are one block of memory: the array, then the texts.
 */
#include <stdlib.h>
#include <string.h>

#include <glasspool/status.h>

#include "table/registrar.h"

static size_t size_of(const char *text)
{
    return text == NULL ? 0 : strlen(text) + 1;
}

static const char *cron_of(const struct gp__plan *plan)
{
    return plan->off ? "-" : plan->cron;
}

/* A copy of the text at *room, which moves on. */
static const char *keep(const char *text, char **room)
{
    if (text == NULL)
        return NULL;
    size_t size = size_of(text);
    char *copy = memcpy(*room, text, size);
    *room += size;
    return copy;
}

static gp_declared declared_of(const struct gp__plan *plan, char **room)
{
    gp_declared entry = {.name = keep(plan->name, room),
                         .fixed_rate = GP_UNSET,
                         .fixed_delay = GP_UNSET,
                         .initial_delay = GP_UNSET};
    if (plan->off || plan->kind == GP__CRON) {
        entry.cron = keep(cron_of(plan), room);
        entry.zone = keep(plan->zone, room);
        entry.cron_flags = plan->flags;
        return entry;
    }
    *(plan->kind == GP__RATE ? &entry.fixed_rate : &entry.fixed_delay) = plan->period;
    entry.initial_delay = plan->initial;
    return entry;
}

static int make_entries(const struct gp__planner *planner, gp_declared **entries, size_t *count)
{
    size_t size = sizeof **entries; /* none at all have an address, too */
    for (size_t i = 0; i < planner->count; i++) {
        const struct gp__plan *plan = &planner->plans[i];
        size +=
            sizeof **entries + size_of(plan->name) + size_of(cron_of(plan)) + size_of(plan->zone);
    }
    gp_declared *made = malloc(size);
    if (made == NULL)
        return GP_ENOMEM;
    char *room = (char *)(made + planner->count);
    for (size_t i = 0; i < planner->count; i++)
        made[i] = declared_of(&planner->plans[i], &room);
    *entries = made;
    *count = planner->count;
    return GP_OK;
}

static int finish_reading(struct gp__planner *planner, int status, gp_declared **entries,
                          size_t *count, gp_registrar_errors *errors)
{
    if (status == GP_OK)
        status = make_entries(planner, entries, count);
    gp__give_errors(&planner->complaints, status, errors);
    gp__planner_free(planner);
    return status;
}

int gp__registrar_read(const char *source, const char *text, size_t size, gp_declared **entries,
                       size_t *count, gp_registrar_errors *errors)
{
    struct gp__planner planner = {.text = malloc(size + 1)};
    int status = GP_ENOMEM;
    if (planner.text != NULL) {
        memcpy(planner.text, text, size);
        planner.text[size] = '\0';
        status = gp__registrar_plan_text(&planner, source, planner.text, size);
    }
    return finish_reading(&planner, status, entries, count, errors);
}

int gp_registrar_read(const char *file, gp_declared **entries, size_t *count,
                      gp_registrar_errors *errors)
{
    struct gp__planner planner = {0};
    size_t size = 0;
    gp__give_errors(&planner.complaints, GP_OK, errors);
    if (file == NULL || entries == NULL || count == NULL)
        return GP_EINVAL;
    int status = gp__read_file(&planner.complaints, file, &planner.text, &size);
    if (status == GP_OK)
        status = gp__registrar_plan_text(&planner, file, planner.text, size);
    else if (planner.complaints.no_memory)
        status = GP_ENOMEM;
    return finish_reading(&planner, status, entries, count, errors);
}

void gp_registrar_entries_free(gp_declared *entries)
{
    free(entries);
}
