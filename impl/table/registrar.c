/*
 * The registrar: ScheduledAnnotationBeanPostProcessor and ScheduledTaskRegistrar in C.
 *
 * Spring looks for annotations while it makes its beans, and hands what it finds to the registrar,
 * one by one; an expression with a mistake in it ends the start of the program at the first one, by
 * an exception. In C nothing is scanned: the table is there when the program is compiled, and is
 * looked at as a whole (registrar_plan.c).
 *
 *   [REGISTRAR-1] No function is called unless the start has succeeded, for all entries.
 *   [REGISTRAR-2] A start that fails leaves nothing behind: no task, no handle, no memory.
 *   [REGISTRAR-3] After close no run begins but one that was about to; what a run needs of the
 *                 registrar lives until then.
 *   [REGISTRAR-4] An entry that fails goes on, of whichever kind it is, unless stop_on_failure.
 *
 * The gate. Entries are scheduled one after the other, and the first may be due before the last is
 * there; if that is refused, because the pool has been shut down meanwhile or there is no memory,
 * the first has run for nothing. So the start is itself a task, whose future is the gate: a run
 * waits for it, and calls the function if it is GP_NORMAL. That is a moment, once; afterwards it is
 * a look at a state. If a rejection handler runs an entry on the very thread that starts, it would
 * wait for itself: GP_EDEADLK, and that entry is being refused anyway.
 *
 * What the gate gives besides: a run knows its own future, which was written before it opened.
 *
 * Which clock. Cron means the wall clock, and is a triggered task. A rate and a delay mean
 * durations: "every 500ms" has nothing to do with what the wall shows. As triggers they would move
 * when somebody sets the clock: put back by an hour, a task with a rate of 500 ms would not run for
 * an hour. So they are periodic tasks of the scheduled pool, by the monotonic clock. That has the
 * JDK's way with a failure; Spring wraps each method, so that it goes on, and so does run_entry.
 *
 * Memory: the handle and each task have a reference of the registrar; a task gives its back through
 * the destructor of its argument.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <glasspool/cron.h>
#include <glasspool/status.h>
#include <glasspool/trigger.h>

#include "table/registrar.h"
#include "scheduled/scheduled.h"
#include "sync/thread.h"

/*
 * An entry that has been started, or is to be.
 * Lock letters:
 *   I: set once before publication
 *   G: written before the gate opens
 *   A: atomic
 */
struct registered {
    gp_registrar *registrar;    /* I */
    const char *name;           /* I the caller's */
    gp_call_fn *call;           /* I */
    void *argument;             /* I */
    gp_trigger_options options; /* I of a trigger they are its own business */
    bool triggered;             /* I */
    gp_future *future;          /* G NULL: it is off */
    _Atomic uint64_t runs;      /* A */
    _Atomic uint64_t failures;  /* A */
};

/*
 * Lock letters:
 *   I: set once before publication
 *   A: atomic
 */
struct gp_registrar {
    _Atomic size_t refs;         /* A the handle, and each task */
    gp_future *gate;             /* I */
    size_t count;                /* I */
    struct registered entries[]; /* I their fields have letters of their own */
};

static void release_registrar(gp_registrar *registrar)
{
    /* acq_rel: what the runs did happens before it is freed */
    if (atomic_fetch_sub_explicit(&registrar->refs, 1, memory_order_acq_rel) != 1)
        return;
    gp_future_release(registrar->gate);
    free(registrar);
}

/* Running. */

/* [REGISTRAR-1] */
static bool pass_gate(const gp_registrar *registrar)
{
    gp_future_state state = gp_future_state_of(registrar->gate);
    return state == GP_NORMAL ||
           (state < GP_NORMAL && gp_future_get(registrar->gate, NULL) == GP_OK);
}

/* What gp_fail said, if the function returned that code. It is taken out of the thread's record:
   `failed` may run other things there. */
static gp_failure take_failure(gp_thread *self, int code)
{
    gp_failure failure = {.code = code};
    if (self->failure.code == code) {
        failure = self->failure;
        self->failure = (gp_failure){0};
    }
    return failure;
}

/* [REGISTRAR-4], of an entry with a rate or a delay: what its task is to return. */
static int after_failure(const struct registered *entry, int code)
{
    gp_thread *self = gp_thread_self(); /* it has a record: a future runs here */
    gp_failure failure = take_failure(self, code);
    bool stops = entry->options.stop_on_failure;
    pthread_cleanup_push(gp__destroy_failure, &failure);
    if (entry->options.failed != NULL)
        entry->options.failed(entry->options.context, entry->future, &failure);
    pthread_cleanup_pop(!stops);
    if (!stops)
        return 0;
    gp__forget_failure(self);
    self->failure = failure; /* for the future to take */
    return code;
}

/* relaxed, both: figures */
static void count(struct registered *entry, bool failed)
{
    atomic_fetch_add_explicit(&entry->runs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&entry->failures, failed, memory_order_relaxed);
}

/* It leaves by pthread_exit or pthread_cancel. */
static void count_abrupt(void *argument)
{
    count(argument, true);
}

static int run_entry(void *argument, void **result)
{
    struct registered *entry = argument;
    if (!pass_gate(entry->registrar) || gp_future_is_done(entry->future))
        return 0; /* [REGISTRAR-3]: it was cancelled while it waited, or the wait interrupted */
    int code;
    pthread_cleanup_push(count_abrupt, entry);
    code = entry->call(entry->argument, result);
    pthread_cleanup_pop(0);
    count(entry, code != 0);
    return code == 0 || entry->triggered ? code : after_failure(entry, code);
}

static void end_entry(void *argument)
{
    release_registrar(((struct registered *)argument)->registrar); /* [REGISTRAR-3] */
}

/* Starting. */

static int schedule_cron(gp_scheduled *scheduled, const gp_callable *callable,
                         const struct gp__plan *plan, struct registered *entry)
{
    gp_trigger trigger = gp_trigger_of_cron(plan->compiled);
    int status =
        gp_schedule_trigger(scheduled, callable, &trigger, &entry->options, &entry->future);
    if (status != GP_OK && status != GP_EREJECTED)
        gp_trigger_discard(&trigger);
    return status;
}

static int schedule_entry(gp_scheduled *scheduled, const struct gp__plan *plan,
                          struct registered *entry)
{
    gp_callable callable = {.call = run_entry, .argument = entry, .destroy = end_entry};
    /* relaxed: whoever asks for one has one */
    atomic_fetch_add_explicit(&entry->registrar->refs, 1, memory_order_relaxed);
    int status;
    if (plan->kind == GP__CRON)
        status = schedule_cron(scheduled, &callable, plan, entry);
    else if (plan->kind == GP__RATE)
        status = gp_schedule_at_fixed_rate(scheduled, &callable, plan->initial, plan->period,
                                           &entry->future);
    else
        status = gp_schedule_with_fixed_delay(scheduled, &callable, plan->initial, plan->period,
                                              &entry->future);
    if (status != GP_OK && status != GP_EREJECTED)
        release_registrar(entry->registrar); /* the argument is ours still */
    return status;
}

static void cancel_all(gp_registrar *registrar)
{
    for (size_t i = 0; i < registrar->count; i++)
        if (registrar->entries[i].future != NULL) {
            gp__scheduled_withdraw(registrar->entries[i].future); /* [REGISTRAR-2] */
            gp_future_release(registrar->entries[i].future);
        }
}

struct start {
    gp_registrar *registrar;
    gp_scheduled *scheduled;
    const struct gp__planner *planner;
    int status;
};

/* The task whose future is the gate. */
static int start_all(void *argument, void **result)
{
    struct start *start = argument;
    (void)result;
    start->status = GP_OK;
    for (size_t i = 0; i < start->planner->count && start->status == GP_OK; i++)
        if (!start->planner->plans[i].off)
            start->status = schedule_entry(start->scheduled, &start->planner->plans[i],
                                           &start->registrar->entries[i]);
    if (start->status != GP_OK)
        cancel_all(start->registrar); /* [REGISTRAR-2], before the gate tells those who wait */
    return start->status;
}

static gp_registrar *new_registrar(const struct gp__planner *planner)
{
    size_t count = planner->count;
    gp_registrar *registrar = calloc(1, sizeof *registrar + count * sizeof registrar->entries[0]);
    if (registrar == NULL)
        return NULL;
    atomic_init(&registrar->refs, 1);
    registrar->count = count;
    for (size_t i = 0; i < count; i++) {
        const gp_declared *entry = planner->plans[i].entry;
        registrar->entries[i] =
            (struct registered){.registrar = registrar,
                                .name = entry->name,
                                .call = entry->call,
                                .argument = entry->argument,
                                .options = entry->options,
                                .triggered = planner->plans[i].kind == GP__CRON};
    }
    return registrar;
}

static int start_plans(const struct gp__planner *planner, gp_scheduled *scheduled,
                       gp_registrar **out)
{
    gp_registrar *registrar = new_registrar(planner);
    if (registrar == NULL)
        return GP_ENOMEM;
    struct start start = {.registrar = registrar,
                          .scheduled = scheduled,
                          .planner = planner,
                          .status = GP_ENOMEM}; /* if there is none for the thread's record */
    gp_callable callable = {.call = start_all, .argument = &start};
    int status = gp_future_new(&callable, &registrar->gate);
    if (status == GP_OK) {
        gp_future_run(registrar->gate);
        status = start.status;
    }
    if (status == GP_OK)
        *out = registrar;
    else
        release_registrar(registrar);
    return status;
}

/* The errors go to who wants them, if it is they that the status speaks of. */
static int finish_planning(struct gp__planner *planner, int status, gp_registrar_errors *errors)
{
    gp__give_errors(&planner->complaints, status, errors);
    gp__planner_free(planner);
    return status;
}

static bool is_config_valid(const gp_registrar_config *config)
{
    if (config != NULL && config->errors != NULL)
        *config->errors = (gp_registrar_errors){0};
    return config != NULL && (config->entries != NULL || config->count == 0);
}

int gp_registrar_start(const gp_registrar_config *config, gp_registrar **out)
{
    struct gp__planner planner = {0};
    if (!is_config_valid(config) || config->scheduled == NULL || out == NULL)
        return GP_EINVAL;
    int status = gp__registrar_plan(&planner, config);
    if (status == GP_OK)
        status = start_plans(&planner, config->scheduled, out);
    return finish_planning(&planner, status, config->errors);
}

int gp_registrar_check(const gp_registrar_config *config)
{
    struct gp__planner planner = {0};
    if (!is_config_valid(config))
        return GP_EINVAL;
    return finish_planning(&planner, gp__registrar_plan(&planner, config), config->errors);
}

/* Asking and ending. */

static struct registered *find_entry(gp_registrar *registrar, const char *name)
{
    for (size_t i = 0; i < registrar->count; i++)
        if (strcmp(registrar->entries[i].name, name) == 0)
            return &registrar->entries[i];
    return NULL;
}

gp_future *gp_registrar_find(gp_registrar *registrar, const char *name)
{
    const struct registered *entry = find_entry(registrar, name);
    return entry == NULL ? NULL : entry->future;
}

int gp_registrar_count(gp_registrar *registrar, const char *name, uint64_t *runs,
                       uint64_t *failures)
{
    struct registered *entry = find_entry(registrar, name);
    if (entry == NULL)
        return GP_ENOTFOUND;
    *runs = atomic_load_explicit(&entry->runs, memory_order_relaxed); /* figures, both */
    *failures = atomic_load_explicit(&entry->failures, memory_order_relaxed);
    return GP_OK;
}

void gp_registrar_close(gp_registrar *registrar)
{
    if (registrar == NULL)
        return;
    cancel_all(registrar); /* [REGISTRAR-3] */
    release_registrar(registrar);
}
