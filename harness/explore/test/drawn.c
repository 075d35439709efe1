/*
 * See drawn.h.
 *
 * Deadlines are drawn from few values, so that equal ones are common, and around the slack: the
 * explorer treats those within it, beyond it and beyond twice of it differently.
 */
#include "harness/explore/test/drawn.h"

#include "harness/explore/clock.h"
#include "harness/explore/random.h"
#include "harness/explore/test/drawn_parts.h"

const struct kind drawn_kinds[DRAWN_KINDS] = {
#define KIND(name, words, steps, themes, uses) [DRAWN_##name] = {words, steps, themes, uses},
#include "harness/explore/test/drawn_kinds.def"
#undef KIND
};

const struct fault drawn_faults[DRAWN_FAULTS] = {
    {"spurious", offsetof(struct faults, spurious), .most = 2, .odds = 2},
    {"cas", offsetof(struct faults, weak_cas), .most = 1, .odds = 2},
    {"memory", offsetof(struct faults, no_memory), .most = 1, .odds = 3},
    {"thread", offsetof(struct faults, no_thread), .most = 1, .odds = 8},
    {"spins", offsetof(struct faults, spins), .most = 1, .odds = 3},
    {"clock", offsetof(struct faults, jumps), .most = 1, .odds = 2},
};

static const struct {
    const char *name;
    unsigned kinds;
} themes[DRAWN_THEMES] = {
    {"atomics", ATOMICS}, {"memory", MEMORY | ATOMICS},   {"locks", LOCKS},     {"waits", WAITS},
    {"times", TIMES},     {"threads", THREADS | CANCELS}, {"cancels", CANCELS}, {"ends", ENDS},
    {"mixture", ~0u},
};

enum {
    MICRO = 1000,
    MOST_KINDS = 5, /* in a program */
    MOST_TRIES = 32,
    STEP_BUDGET = 400,
    FEW_ORDERS = 1500, /* that dfs can run in no time */
    MANY_ORDERS = 20000
};

/* The dice, and what the program may have. */
struct lot {
    struct random dice;
    unsigned theme;
    uint8_t kinds[MOST_KINDS];
    unsigned kind_count;
    unsigned creators[DRAWN_THREADS]; /* of each thread but main */
};

const char *drawn_theme_name(unsigned theme)
{
    return themes[theme].name;
}

const char *drawn_kind_name(enum drawn_kind kind)
{
    return drawn_kinds[kind].words;
}

/* Creation, joining and so on are in programs of every theme. */
bool drawn_belongs_to(enum drawn_kind kind, unsigned theme)
{
    return drawn_kinds[kind].themes & themes[theme].kinds;
}

unsigned *drawn_fault(struct drawing *drawing, unsigned fault)
{
    return (unsigned *)((char *)&drawing->rules.faults + drawn_faults[fault].place);
}

bool drawn_has(const struct drawing *drawing, enum drawn_kind kind)
{
    for (unsigned i = 0; i < drawing->program.threads; i++)
        for (unsigned k = 0; k < drawing->program.thread[i].length; k++)
            if (drawing->program.thread[i].ops[k].kind == kind)
                return true;
    return false;
}

static bool one_in(struct lot *lot, unsigned odds)
{
    return random_below(&lot->dice, odds) == 0;
}

/* ---- rules ---- */

static void draw_rules(struct lot *lot, struct drawing *drawing)
{
    static const int64_t slacks[] = {MICRO, 3 * MICRO, 3 * MICRO, 1000000 * MICRO};

    drawing->rules = (struct machine_rules)MACHINE_RULES_DEFAULT;
    drawing->rules.slack = slacks[random_below(&lot->dice, 4)];
    drawing->rules.early_time = !one_in(lot, 6);
    drawing->rules.faults = (struct faults){0};
    drawing->rules.step_budget = STEP_BUDGET;
    drawing->memory.model = one_in(lot, 3) ? MEMORY_C11 : MEMORY_SC;
    drawing->memory.races = one_in(lot, 2);
    for (unsigned i = 0; i < DRAWN_FAULTS; i++)
        *drawn_fault(drawing, i) = one_in(lot, drawn_faults[i].odds)
                                       ? 1 + random_below(&lot->dice, drawn_faults[i].most)
                                       : 0;
}

/* Of a program in which nobody looks for races there may be none: what a racing access sees depends
   on orders that are nobody's steps. */
static bool is_allowed(const struct drawing *drawing, enum drawn_kind kind)
{
    return drawing->memory.races || (kind != DRAWN_READ_PLAIN && kind != DRAWN_WRITE_PLAIN);
}

static void choose_kinds(struct lot *lot, const struct drawing *drawing)
{
    unsigned wanted = 2 + random_below(&lot->dice, MOST_KINDS - 1);

    while (lot->kind_count < wanted) {
        enum drawn_kind kind = random_below(&lot->dice, DRAWN_KINDS);
        unsigned themes_allowed = one_in(lot, 8) ? ~0u : themes[lot->theme].kinds;
        if ((drawn_kinds[kind].themes & themes_allowed) && is_allowed(drawing, kind))
            lot->kinds[lot->kind_count++] = (uint8_t)kind;
    }
}

/* ---- operations ---- */

static int64_t draw_time(struct lot *lot, int64_t slack, bool is_sleep)
{
    static const struct {
        int slacks, micros;
    } times[] = {{0, 1}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {5, 0}, {0, 0}, {0, -1}};
    unsigned which = random_below(&lot->dice, is_sleep ? 8 : 10);

    return times[which].slacks * slack + times[which].micros * MICRO;
}

static uint8_t draw_order(struct lot *lot)
{
    return (uint8_t)(one_in(lot, 2) ? DRAWN_SEQ_CST : random_below(&lot->dice, DRAWN_ORDERS));
}

/* One that its thread knows the name of: main, its own children, its elder siblings. */
static uint8_t draw_victim(struct lot *lot, unsigned canceller, unsigned threads)
{
    for (unsigned tries = 0; tries < 16; tries++) {
        unsigned victim = random_below(&lot->dice, threads);
        bool is_sibling =
            victim > 0 && canceller > victim && lot->creators[victim] == lot->creators[canceller];
        bool is_child = victim > canceller && lot->creators[victim] == canceller;
        if (is_sibling || is_child)
            return (uint8_t)victim;
    }
    return 0;
}

/* What is not a step is not worth repeating. And a thread that yields again and again without
   having looked at anything waits for any change: their orders are not told apart [DEP-5]. */
static bool is_enough_of(enum drawn_kind kind, const struct drawn_thread *thread)
{
    unsigned count = 0,
             most = kind == DRAWN_YIELD || drawn_kinds[kind].steps == 0 ? 1 : DRAWN_LENGTH;

    for (unsigned i = 0; i < thread->length; i++)
        count += thread->ops[i].kind == kind;
    return count >= most;
}

static struct drawn_op draw_op(struct lot *lot, const struct drawing *drawing, unsigned thread)
{
    struct drawn_op op = {.kind = lot->kinds[random_below(&lot->dice, lot->kind_count)]};

    if (is_enough_of(op.kind, &drawing->program.thread[thread]))
        op.kind = DRAWN_ADD;
    unsigned uses = drawn_kinds[op.kind].uses;
    if (uses & AN_OBJECT)
        op.which = one_in(lot, 4);
    if (uses & AN_ORDER)
        op.order = draw_order(lot);
    if (uses & A_VALUE)
        op.value = (uint8_t)(one_in(lot, 3) ? 0 : 1 + one_in(lot, 3));
    if (uses & A_SPAN)
        op.span = (uint8_t)(one_in(lot, 2) ? 0 : random_below(&lot->dice, 3));
    if (uses & A_TIME)
        op.time = draw_time(lot, drawing->rules.slack, op.kind == DRAWN_SLEEP);
    if (op.kind == DRAWN_CANCEL)
        op.which = draw_victim(lot, thread, drawing->program.threads);
    return op;
}

/* ---- how many orders? ---- */

static bool is_in_time(const struct drawn_op *op, int64_t slack)
{
    return (drawn_kinds[op->kind].uses & A_TIME) && op->time > 0 && op->time <= slack;
}

/* An estimate: in how many ways the steps of the threads, and of the clock, can be mixed. */
static double estimate_orders(const struct drawing *drawing)
{
    double orders = 1;
    unsigned mixed = 0, ticks = 0;

    for (unsigned i = 0; i <= drawing->program.threads; i++) {
        unsigned steps = i == 0 ? 0 : i == drawing->program.threads ? ticks : 2;
        const struct drawn_thread *thread = &drawing->program.thread[i % DRAWN_THREADS];
        for (unsigned k = 0; i < drawing->program.threads && k < thread->length; k++) {
            steps += drawn_kinds[thread->ops[k].kind].steps;
            ticks += is_in_time(&thread->ops[k], drawing->rules.slack);
        }
        for (unsigned k = 1; k <= steps; k++)
            orders *= (double)++mixed / k;
    }
    return orders;
}

/* ---- threads ---- */

static void insert(struct drawn_thread *thread, unsigned at, struct drawn_op op)
{
    for (unsigned i = thread->length++; i > at; i--)
        thread->ops[i] = thread->ops[i - 1];
    thread->ops[at] = op;
}

static uint8_t draw_parting(struct lot *lot, bool about_threads)
{
    static const uint8_t others[] = {DRAWN_TRY_JOIN, DRAWN_TIMED_JOIN, DRAWN_DETACH};

    return one_in(lot, about_threads ? 2 : 8) ? others[random_below(&lot->dice, 3)] : DRAWN_JOIN;
}

static bool is_ended(const struct drawn_thread *thread)
{
    return thread->length > 0 && thread->ops[thread->length - 1].kind >= DRAWN_RETURN;
}

static bool is_creation(const struct drawn_op *op)
{
    return op->kind == DRAWN_CREATE || op->kind == DRAWN_CREATE_DETACHED;
}

/* Its creator creates it, after those with lower numbers, mostly first of all, and mostly joins it,
   mostly last of all. */
static void add_creation(struct lot *lot, struct drawing *drawing, unsigned number)
{
    struct drawn_thread *creator = &drawing->program.thread[lot->creators[number]];
    bool about_threads = themes[lot->theme].kinds & (THREADS | ENDS);
    unsigned at = 0;
    struct drawn_op creation = {.kind = DRAWN_CREATE, .which = (uint8_t)number};
    struct drawn_op parting = {.kind = draw_parting(lot, about_threads), .which = (uint8_t)number};

    for (unsigned i = 0; i < creator->length; i++)
        if (is_creation(&creator->ops[i]))
            at = i + 1;
    if (about_threads && one_in(lot, 6))
        creation.kind = DRAWN_CREATE_DETACHED;
    if (one_in(lot, 5))
        at += random_below(&lot->dice, creator->length - at + 1);
    insert(creator, at, creation);
    if (parting.kind == DRAWN_TIMED_JOIN)
        parting.time = draw_time(lot, drawing->rules.slack, false);
    if (one_in(lot, about_threads ? 4 : 16))
        return;
    unsigned last = creator->length - (is_ended(creator) && !one_in(lot, 4));
    insert(creator, one_in(lot, 4) ? at + 1 + random_below(&lot->dice, last - at) : last, parting);
}

static void draw_threads(struct lot *lot, struct drawing *drawing)
{
    unsigned odds = random_below(&lot->dice, 8);
    bool about_threads = themes[lot->theme].kinds & THREADS;

    drawing->program.threads = odds < 3 ? 2 : odds < 7 ? 3 : 4;
    for (unsigned i = 2; i < drawing->program.threads; i++)
        if (one_in(lot, about_threads ? 3 : 12))
            lot->creators[i] = 1 + random_below(&lot->dice, i - 1);
}

/* Room is left for a creation and a parting of each. */
static void draw_ops(struct lot *lot, struct drawing *drawing)
{
    struct drawn_program *program = &drawing->program;
    double most = one_in(lot, 8) ? MANY_ORDERS : FEW_ORDERS;

    for (unsigned i = 1; i < program->threads; i++)
        insert(&program->thread[i], 0, draw_op(lot, drawing, i));
    for (unsigned tries = 0; tries < MOST_TRIES && estimate_orders(drawing) < most; tries++) {
        unsigned i = random_below(&lot->dice, program->threads);
        struct drawn_thread *thread = &program->thread[i];
        if (!is_ended(thread) && thread->length + 2 * (DRAWN_THREADS - 1) < DRAWN_LENGTH)
            insert(thread, thread->length, draw_op(lot, drawing, i));
    }
}

void drawn_draw(unsigned number, struct drawing *drawing)
{
    const int64_t second = 1000000000, beginning = START_OF_TIME + WALL_OFFSET;
    struct lot lot = {.dice = {.state = number}, .theme = drawn_theme_of(number)};

    *drawing = (struct drawing){.number = number};
    draw_rules(&lot, drawing);
    choose_kinds(&lot, drawing);
    draw_threads(&lot, drawing);
    draw_ops(&lot, drawing);
    for (unsigned i = 1; i < drawing->program.threads; i++)
        add_creation(&lot, drawing, i);
    drawing->rules.reuse = drawn_has(drawing, DRAWN_ALLOCATE) && one_in(&lot, 4);
    for (unsigned i = 0; i < DRAWN_LOCKS; i++)
        drawing->program.locks[i] =
            (uint8_t)(one_in(&lot, 2) ? DRAWN_NORMAL : random_below(&lot.dice, DRAWN_LOCK_KINDS));
    drawing->program.permits = one_in(&lot, 4);
    drawing->program.parties = one_in(&lot, 4) ? 3 : 2;
    drawing->program.beginning = (struct timespec){.tv_sec = beginning / second};
}
