/*
 * Histories by the thousand, from objects that are right.
 *
 * A plan is a sequence of calls on a reference object, which gives the results. The reference is
 * written to be obvious, and shares nothing with the models. Each call is then given an interval
 * around its moment in the sequence; calls of one lane do not overlap, others may:
 *
 *      moments          1     2     3     4     5
 *      lane 0        |--o--|     |--------o-|
 *      lane 1         |-------o----|  |o---------|
 *                                      and so on
 *
 * The history of a plan is linearizable, since the sequence explains it; also if some calls at the
 * end of their lanes never return, and if others are made that never take effect. A history in
 * which one result was changed may be so or not. That is for a second checker to say, one that
 * tries all permutations of all calls, and in which there is nothing to get wrong.
 */
#include <stdlib.h> /* qsort */
#include <string.h>

#include <glasspool/status.h>

#include "linear_support.h"
#include "suite.h"
#include "support.h"

enum {
    MOST_CALLS = 15,
    FEW_CALLS = 7, /* for the checker that tries everything */
    LANES = 4,
    MOMENT = 1000 /* ticks from one moment to the next */
};

struct step {
    unsigned lane;
    unsigned operation;
    int argument;
    int64_t result;
    unsigned moment;
    unsigned begin; /* in ticks */
    unsigned end;
    bool returns;
};

struct plan {
    struct step steps[MOST_CALLS];
    unsigned count;
};

static uint64_t seed = 1;

static unsigned below(unsigned limit)
{
    return (unsigned)random_below(&seed, limit);
}

static bool one_in(unsigned chances)
{
    return below(chances) == 0;
}

/* The reference queue: tasks as they came; who is first is looked up. */

struct reference {
    const struct linear_model *model;
    int tasks[MOST_CALLS];
    unsigned count;
    unsigned capacity; /* 0: no bound */
    int next;          /* task */
};

static bool goes_before(const struct reference *queue, int left, int right)
{
    if (queue->model == &model_priority)
        return left / 16 < right / 16;
    return queue->model == &model_delayed && left < right;
}

static unsigned first_of(const struct reference *queue)
{
    unsigned first = 0;
    for (unsigned i = 1; i < queue->count; i++)
        if (goes_before(queue, queue->tasks[i], queue->tasks[first]))
            first = i;
    return first;
}

static int extract(struct reference *queue, unsigned at)
{
    int task = queue->tasks[at];
    queue->count--;
    memmove(&queue->tasks[at], &queue->tasks[at + 1], (queue->count - at) * sizeof(int));
    return task;
}

static int64_t reference_add(struct reference *queue, struct step *step)
{
    step->argument = MODEL_TASK((int)below(3), queue->next * 7 % 16); /* not in their order */
    queue->next++;
    if (queue->capacity != 0 && queue->count == queue->capacity)
        return step->operation == QUEUE_PUT ? GP_ETIMEDOUT : GP_EFULL;
    queue->tasks[queue->count++] = step->argument;
    return GP_OK;
}

static int64_t reference_take(struct reference *queue, const struct step *step)
{
    if (queue->count == 0)
        return step->operation == QUEUE_TAKE ? GP_ETIMEDOUT : GP_EEMPTY;
    return extract(queue, first_of(queue));
}

static int64_t reference_remove(struct reference *queue, struct step *step)
{
    bool wanted = queue->count > 0 && !one_in(3);
    unsigned at = wanted ? below(queue->count) : 0;
    step->argument = wanted ? queue->tasks[at] : MODEL_TASK(7, 15);
    if (!wanted)
        return GP_ENOTFOUND;
    extract(queue, at);
    return GP_OK;
}

static int64_t reference_drain(struct reference *queue)
{
    int64_t list = 0;
    for (unsigned i = 0; queue->count > 0; i++)
        list = model_list(list, i, (unsigned)extract(queue, first_of(queue)));
    return list;
}

static int64_t reference_call(struct reference *queue, struct step *step)
{
    switch ((enum queue_operation)step->operation) {
    case QUEUE_OFFER:
    case QUEUE_PUT:
        return reference_add(queue, step);
    case QUEUE_POLL:
    case QUEUE_TAKE:
        return reference_take(queue, step);
    case QUEUE_REMOVE:
        return reference_remove(queue, step);
    case QUEUE_PEEK:
        return queue->count == 0 ? GP_EEMPTY : queue->tasks[first_of(queue)];
    case QUEUE_SIZE:
        return queue->count;
    case QUEUE_REMAINING:
        return queue->capacity == 0 ? -1 : (int64_t)(queue->capacity - queue->count);
    case QUEUE_DRAIN:
        return reference_drain(queue);
    }
    return 0;
}

static void plan_queue(struct plan *plan, const struct linear_model *model, int capacity)
{
    static const unsigned operations[] = {QUEUE_OFFER, QUEUE_OFFER,     QUEUE_PUT,   QUEUE_PUT,
                                          QUEUE_POLL,  QUEUE_POLL,      QUEUE_TAKE,  QUEUE_PEEK,
                                          QUEUE_SIZE,  QUEUE_REMAINING, QUEUE_DRAIN, QUEUE_REMOVE};
    struct reference queue = {.model = model, .capacity = (unsigned)capacity, .next = 1};
    for (unsigned i = 0; i < plan->count; i++) {
        struct step *step = &plan->steps[i];
        step->operation = operations[below(sizeof operations / sizeof operations[0])];
        step->result = reference_call(&queue, step);
        step->lane = below(LANES);
        step->moment = i + 1;
    }
}

/* The reference future: the first that completes it decides what all others get. */

static int64_t answer_of_done(const struct step *step, const struct step *winner)
{
    switch ((enum future_operation)step->operation) {
    case FUTURE_GET:
        if (winner->operation == FUTURE_CANCEL)
            return GP_ECANCELLED;
        return winner->operation == FUTURE_FAIL || winner->argument < 0 ? GP_EFAILED
                                                                        : winner->argument;
    case FUTURE_IS_DONE:
        return true;
    case FUTURE_IS_CANCELLED:
        return winner->operation == FUTURE_CANCEL;
    default:
        return false;
    }
}

static bool completes(const struct step *step)
{
    return step->operation <= FUTURE_RUN;
}

static int64_t answer_of_new(const struct step *step)
{
    if (step->operation == FUTURE_GET)
        return one_in(2) ? GP_ETIMEDOUT : GP_EINTERRUPTED;
    return completes(step) || step->operation == FUTURE_RUN_AND_RESET;
}

static void plan_future(struct plan *plan, const struct linear_model *model, int parameter)
{
    const struct step *winner = NULL;
    (void)model;
    (void)parameter;
    for (unsigned i = 0; i < plan->count; i++) {
        struct step *step = &plan->steps[i];
        step->operation = winner == NULL && one_in(2) ? FUTURE_IS_DONE : below(8);
        step->argument = step->operation == FUTURE_RUN && one_in(4) ? -1 : (int)below(3);
        step->result = winner == NULL ? answer_of_new(step) : answer_of_done(step, winner);
        step->lane = below(LANES);
        step->moment = i + 1;
        if (winner == NULL && completes(step))
            winner = step;
    }
}

/* The reference hand-off: a put and a take at the same moment, or somebody who finds nobody. */

static void plan_handoff(struct plan *plan, const struct linear_model *model, int parameter)
{
    static const struct step alone[] = {{.operation = QUEUE_OFFER, .result = GP_EFULL},
                                        {.operation = QUEUE_PUT, .result = GP_ETIMEDOUT},
                                        {.operation = QUEUE_POLL, .result = GP_EEMPTY},
                                        {.operation = QUEUE_TAKE, .result = GP_ETIMEDOUT},
                                        {.operation = QUEUE_SIZE, .result = 0}};
    (void)model;
    (void)parameter;
    for (unsigned i = 0; i < plan->count; i++) {
        struct step *step = &plan->steps[i];
        int task = (int)i + 1;
        *step = alone[below(sizeof alone / sizeof alone[0])];
        step->argument = task;
        step->lane = below(LANES);
        step->moment = i + 1;
        if (i + 1 == plan->count || one_in(2))
            continue;
        step[1] = *step;
        step[0].operation = one_in(2) ? QUEUE_OFFER : QUEUE_PUT;
        step[0].result = GP_OK;
        step[1].operation = one_in(2) ? QUEUE_POLL : QUEUE_TAKE;
        step[1].result = task;
        step[1].lane = (step->lane + 1) % LANES;
        i++;
    }
}

/* From a plan to a history. */

/* The step before (or after) this one in the same lane, NULL if it is the first (last). */

static const struct step *step_before(const struct plan *plan, unsigned i)
{
    for (unsigned k = i; k > 0; k--)
        if (plan->steps[k - 1].lane == plan->steps[i].lane)
            return &plan->steps[k - 1];
    return NULL;
}

static const struct step *step_after(const struct plan *plan, unsigned i)
{
    for (unsigned k = i + 1; k < plan->count; k++)
        if (plan->steps[k].lane == plan->steps[i].lane)
            return &plan->steps[k];
    return NULL;
}

/* Two of one lane share the time between their moments, half each. */
static void give_intervals(struct plan *plan)
{
    for (unsigned i = 0; i < plan->count; i++) {
        struct step *step = &plan->steps[i];
        const struct step *previous = step_before(plan, i);
        const struct step *next = step_after(plan, i);
        unsigned end = (plan->count + 2) * MOMENT;
        unsigned moment = step->moment * MOMENT;
        unsigned first = previous == NULL ? 0 : (previous->moment * MOMENT + moment) / 2 + 1;
        unsigned last = next == NULL ? end : (next->moment * MOMENT + moment) / 2;
        step->begin = first + below(moment - first);
        step->end = moment + 1 + below(last - moment);
        step->returns = next != NULL || !one_in(5);
    }
}

struct event {
    unsigned tick;
    unsigned step;
    bool is_end;
};

static int by_tick(const void *left, const void *right)
{
    const struct event *a = left;
    const struct event *b = right;
    return a->tick < b->tick ? -1 : a->tick > b->tick;
}

static void record_plan(const struct plan *plan, struct history *history)
{
    struct event events[2 * MOST_CALLS] = {{0}};
    struct history_open open[MOST_CALLS];
    for (unsigned i = 0; i < plan->count; i++) {
        events[2 * i] = (struct event){plan->steps[i].begin, i, false};
        events[2 * i + 1] = (struct event){plan->steps[i].end, i, true};
    }
    qsort(events, 2 * (size_t)plan->count, sizeof events[0], by_tick);
    for (unsigned i = 0; i < 2 * plan->count; i++) {
        const struct step *step = &plan->steps[events[i].step];
        if (!events[i].is_end)
            open[events[i].step] =
                history_begin(history, step->lane, step->operation, step->argument);
        else if (step->returns)
            history_end(open[events[i].step], step->result);
    }
}

/* The kinds of object. */

static const struct kind {
    const struct linear_model *model;
    int parameter;
    void (*plan)(struct plan *, const struct linear_model *, int parameter);
} kinds[] = {
    {&model_fifo, 0, plan_queue},     {&model_fifo, 1, plan_queue},
    {&model_fifo, 3, plan_queue},     {&model_priority, 0, plan_queue},
    {&model_priority, 2, plan_queue}, {&model_delayed, 0, plan_queue},
    {&model_future, 0, plan_future},  {&model_handoff, 0, plan_handoff},
};

/* A random plan, and a lane more in which there may be a call that never takes effect. */
static void record_random(const struct kind *kind, unsigned calls, struct history *history)
{
    struct plan plan = {.count = calls};
    kind->plan(&plan, kind->model, kind->parameter);
    give_intervals(&plan);
    memset(history, 0, sizeof *history);
    record_plan(&plan, history);
    if (calls < MOST_CALLS && one_in(4))
        history_begin(history, LANES, plan.steps[0].operation, plan.steps[0].argument);
}

static bool is_too_long(const struct history *history)
{
    for (unsigned i = 0; i < HISTORY_LANES; i++)
        if (history->lanes[i].count > HISTORY_CALLS)
            return true;
    return false;
}

static void check_acceptance(const struct kind *kind, unsigned rounds)
{
    unsigned judged = 0;
    for (unsigned i = 0; i < rounds; i++) {
        struct history history;
        record_random(kind, 1 + below(MOST_CALLS), &history);
        enum linear_verdict verdict = verdict_on(kind->model, kind->parameter, &history);
        check_int(verdict, is_too_long(&history) ? LINEAR_UNDECIDED : LINEARIZABLE);
        judged += verdict == LINEARIZABLE;
    }
    check(judged > rounds / 2);
}

static void histories_of_a_right_object_are_explained(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        check_within(kinds[i].model->name);
        check_acceptance(&kinds[i], scaled(20000));
    }
}

/* The checker that tries everything. */

struct trial {
    const struct kind *kind;
    const struct history_call *calls[FEW_CALLS + 1];
    unsigned count;
};

static void gather(struct trial *trial, const struct history *history)
{
    trial->count = 0;
    for (unsigned i = 0; i < HISTORY_LANES; i++)
        for (unsigned k = 0; k < history->lanes[i].count; k++)
            trial->calls[trial->count++] = &history->lanes[i].calls[k];
}

static bool is_in_time(const struct trial *trial, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        for (unsigned k = i + 1; k < length; k++)
            if (history_end_of(trial->calls[k]) < trial->calls[i]->began)
                return false;
    return true;
}

/* Do the first calls explain the history, in this order? All others must be pending. */
static bool fits(const struct trial *trial, unsigned length)
{
    const struct linear_model *model = trial->kind->model;
    _Alignas(8) unsigned char state[LINEAR_STATE] = {0};
    for (unsigned i = length; i < trial->count; i++)
        if (!history_is_pending(trial->calls[i]))
            return false;
    if (!is_in_time(trial, length))
        return false;
    model->init(state, trial->kind->parameter);
    for (unsigned i = 0; i < length; i++)
        if (!model->apply(state, trial->calls[i]))
            return false;
    return model->accepts_final == NULL || model->accepts_final(state);
}

static void swap(struct trial *trial, unsigned i, unsigned k)
{
    const struct history_call *call = trial->calls[i];
    trial->calls[i] = trial->calls[k];
    trial->calls[k] = call;
}

/* With the first `length` calls in place: any order of any of the rest? */
static bool any_fits(struct trial *trial, unsigned length)
{
    bool found = fits(trial, length);
    for (unsigned i = length; i < trial->count && !found; i++) {
        swap(trial, length, i);
        found = any_fits(trial, length + 1);
        swap(trial, length, i);
    }
    return found;
}

/* One result, if it has returned, becomes another's, or the next number, or a failure. */
static void change_a_result(struct history *history)
{
    struct history_lane *lane = &history->lanes[below(LANES)];
    struct history_lane *other = &history->lanes[below(LANES)];
    if (lane->count == 0)
        return;
    struct history_call *call = &lane->calls[below(lane->count)];
    if (one_in(3) && other->count > 0)
        call->result = other->calls[below(other->count)].result;
    else if (one_in(2))
        call->result = call->result > 0 ? call->result - 1 : call->result + 1;
    else
        call->result = -(int64_t)below(15);
}

static void check_agreement(const struct kind *kind, unsigned rounds)
{
    unsigned explained = 0;
    for (unsigned i = 0; i < rounds; i++) {
        struct history history;
        struct trial trial = {.kind = kind};
        do {
            record_random(kind, 2 + below(FEW_CALLS - 1), &history);
        } while (is_too_long(&history));
        change_a_result(&history);
        gather(&trial, &history);
        bool expected = any_fits(&trial, 0);
        enum linear_verdict verdict = verdict_on(kind->model, kind->parameter, &history);
        check_int(verdict, expected ? LINEARIZABLE : NOT_LINEARIZABLE);
        explained += expected;
    }
    check(is_slow() || (explained > rounds / 10 && explained < rounds - rounds / 10));
}

static void changed_histories_are_judged_as_by_trying_everything(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        check_within(kinds[i].model->name);
        check_agreement(&kinds[i], scaled(1000));
    }
}

static const struct test tests[] = {
    TEST(histories_of_a_right_object_are_explained),
    TEST(changed_histories_are_judged_as_by_trying_everything),
    END_OF_TESTS,
};

const struct suite linear_random_suite = {.name = "linear_random", .tests = tests};
