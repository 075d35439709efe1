/*
 * See graph.h. A walk depth first. The choices of an execution that are decided are a path of
 * nodes; the first one behind it is either a node that is known, and the execution is cut there, or
 * a new one, which joins the path. Between executions the path loses nodes from its end until one
 * is left that has an option to try.
 *
 * What the steps of an edge did is copied from the record while it is there; in the end all places
 * in the source are looked up at once.
 */
#include "harness/explore/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* getcwd */

#include "harness/explore/clock.h"
#include "harness/explore/labels.h"
#include "harness/explore/orders.h"
#include "harness/explore/source_names.h"
#include "harness/explore/strategies.h"
#include "harness/report/quote.h"

enum {
    NODES = 1 << 17,
    EDGES = 1 << 19,
    STEPS = 1 << 21, /* of all edges together */
    KINDS_OF_STEP = 1 << 14,
    PATH = 4096,
    NOBODY = CLOCK_THREAD + 1
};

struct step {
    thread_number thread;
    uint8_t kind, order, size;
    const void *pc;
    uint64_t before, after;
    thread_set woken;
    int64_t now;
};

struct edge {
    uint32_t first, count; /* of numbers of steps */
    uint32_t to;           /* a node */
    uint32_t next;         /* edge of the same node; 0: none */
    thread_number thread;
};

struct node {
    uint64_t order;  /* what it is told apart by; of an end 0 */
    uint32_t edges;  /* the first; 0: none */
    thread_set left; /* options that were not tried yet */
    uint8_t verdict; /* of an end */
    char *message;   /* likewise; NULL: it is none */
};

static struct {
    struct node *nodes;
    struct edge *edges; /* number 0 is none */
    uint32_t *numbers;  /* of the steps of edges */
    struct step *kinds;
    uint32_t node_count, edge_count, number_count, kind_count;
    const void *makers[MACHINE_THREADS]; /* where thread 0 has made each of the others; or NULL */
    bool full;
} graph;

/* The present execution. */
static struct {
    struct {
        uint32_t node;
        thread_number chosen;
    } path[PATH];
    uint32_t length, used;
    uint32_t since; /* steps that were recorded before the last choice */
} walk;

/* ---- steps ---- */

static bool is_like(const struct step *one, const struct step *other)
{
    return one->thread == other->thread && one->kind == other->kind && one->pc == other->pc &&
           one->before == other->before && one->after == other->after &&
           set_equals(one->woken, other->woken) && one->now == other->now;
}

static uint32_t number_of(const struct step *step)
{
    for (uint32_t i = 0; i < graph.kind_count; i++)
        if (is_like(&graph.kinds[i], step))
            return i;
    if (graph.kind_count == KINDS_OF_STEP) {
        graph.full = true;
        return 0;
    }
    graph.kinds[graph.kind_count] = *step;
    return graph.kind_count++;
}

static void copy_steps(struct edge *edge)
{
    edge->first = graph.number_count;
    for (uint32_t i = walk.since; i < record_count() && graph.number_count < STEPS; i++) {
        const struct record *record = record_at(i);
        struct step step = {.thread = record->thread,
                            .kind = record->kind,
                            .order = record->order,
                            .size = record->size,
                            .pc = record->stack.count > 0 ? record->stack.frames[0] : NULL,
                            .woken = record->woken,
                            .now = record->now};
        enum label_kind kind;
        if (labels_kind_of(record->kind, &kind) && kind == LABEL_ATOMIC) {
            step.before = record->before;
            step.after = record->after;
        }
        graph.numbers[graph.number_count++] = number_of(&step);
    }
    edge->count = graph.number_count - edge->first;
    graph.full |= graph.number_count == STEPS;
}

/* ---- nodes ---- */

static uint32_t new_node(struct node node)
{
    if (graph.node_count == NODES) {
        graph.full = true;
        return 0;
    }
    graph.nodes[graph.node_count] = node;
    return graph.node_count++;
}

static uint32_t known_node(uint64_t order)
{
    for (uint32_t i = 0; i < graph.node_count; i++)
        if (graph.nodes[i].order == order && !graph.nodes[i].message)
            return i;
    return NODES;
}

static uint32_t end_node(uint8_t verdict, const char *message)
{
    for (uint32_t i = 0; i < graph.node_count; i++)
        if (graph.nodes[i].message && graph.nodes[i].verdict == verdict &&
            strcmp(graph.nodes[i].message, message) == 0)
            return i;
    return new_node((struct node){.verdict = verdict, .message = strdup(message)});
}

/* The last choice of the path has led here. */
static void arrive(uint32_t to)
{
    if (walk.length == 0 || graph.edge_count == EDGES) {
        graph.full |= walk.length > 0;
        return;
    }
    struct node *from = &graph.nodes[walk.path[walk.length - 1].node];
    struct edge *edge = &graph.edges[graph.edge_count];
    *edge =
        (struct edge){.to = to, .next = from->edges, .thread = walk.path[walk.length - 1].chosen};
    copy_steps(edge);
    from->edges = graph.edge_count++;
}

/* ---- choosing ---- */

/* Who goes on without being asked; NOBODY: there is a choice. */
static unsigned goes_on(const struct turn *turn)
{
    thread_set willing = set_minus(set_minus(turn->enabled, turn->spurious), only(CLOCK_THREAD));

    if (set_has(willing, 0))
        return 0;
    for (struct set_walk each = set_walk(willing); set_next(&each);) {
        uint8_t kind = machine.threads[each.at].op.kind;
        if (kind == OP_BEGIN || kind == OP_EXIT)
            return each.at;
    }
    return NOBODY;
}

static unsigned choose(uint32_t node)
{
    unsigned chosen = lowest(graph.nodes[node].left);

    set_remove(&graph.nodes[node].left, chosen);
    walk.path[walk.length].node = node;
    walk.path[walk.length++].chosen = (thread_number)chosen;
    walk.used = walk.length;
    walk.since = record_count();
    return chosen;
}

static unsigned pick(const struct turn *turn)
{
    unsigned forced = goes_on(turn);

    if (forced != NOBODY)
        return forced;
    if (walk.used < walk.length) {
        walk.since = record_count();
        return walk.path[walk.used++].chosen;
    }
    uint64_t order = orders_so_far();
    uint32_t node = known_node(order);
    if (node != NODES || graph.full || walk.length == PATH) {
        graph.full |= walk.length == PATH;
        arrive(node != NODES ? node : 0);
        machine_finish(ENDED_CUT, "%s", "this state is known");
    }
    node =
        new_node((struct node){.order = order, .left = set_minus(turn->enabled, turn->spurious)});
    arrive(node);
    return choose(node);
}

static unsigned pick_datum(enum datum_kind kind, unsigned count)
{
    (void)kind;
    (void)count;
    return 0;
}

/* ---- from one execution to the next ---- */

static bool begin(void)
{
    while (walk.length > 0 && set_is_empty(graph.nodes[walk.path[walk.length - 1].node].left))
        walk.length--;
    if (graph.full || (walk.length == 0 && graph.node_count > 0))
        return false;
    if (walk.length > 0) {
        uint32_t node = walk.path[--walk.length].node;
        choose(node);
    }
    walk.used = walk.since = 0;
    record_begin_lean();
    return true;
}

/* An execution that is cut has not made all of them. */
static void note_makers(void)
{
    for (uint32_t i = 0; i < record_count(); i++) {
        const struct record *record = record_at(i);
        if (story_makes_thread(record))
            graph.makers[record->before] = record->stack.frames[0];
    }
}

static void end(void)
{
    note_makers();
    record_end();
}

static void *zeroed(void *memory, size_t count, size_t size)
{
    free(memory);
    return calloc(count, size);
}

static void start(const struct strategy_options *options)
{
    (void)options;
    graph.nodes = zeroed(graph.nodes, NODES, sizeof *graph.nodes);
    graph.edges = zeroed(graph.edges, EDGES, sizeof *graph.edges);
    graph.numbers = zeroed(graph.numbers, STEPS, sizeof *graph.numbers);
    graph.kinds = zeroed(graph.kinds, KINDS_OF_STEP, sizeof *graph.kinds);
    graph.full = !graph.nodes || !graph.edges || !graph.numbers || !graph.kinds;
    graph.node_count = graph.number_count = graph.kind_count = 0;
    graph.edge_count = 1;
    memset(graph.makers, 0, sizeof graph.makers);
    walk.length = 0;
}

const struct strategy strategy_graph = {.name = "graph",
                                        .start = start,
                                        .begin = begin,
                                        .pick = pick,
                                        .pick_datum = pick_datum,
                                        .end = end};

void graph_ended(const char *outcome)
{
    arrive(end_node((uint8_t)machine.verdict,
                    machine.verdict == ENDED_WELL ? outcome : machine.message));
}

size_t graph_nodes(void)
{
    return graph.node_count;
}

bool graph_is_complete(void)
{
    return !graph.full;
}

/* ---- writing ---- */

static void load_symbols(void)
{
    const void **addresses = malloc((graph.kind_count + MACHINE_THREADS) * sizeof *addresses);
    size_t count = 0;

    if (!addresses)
        return;
    for (uint32_t i = 0; i < graph.kind_count; i++)
        if (graph.kinds[i].pc)
            addresses[count++] = graph.kinds[i].pc;
    for (unsigned i = 0; i < MACHINE_THREADS; i++)
        if (graph.makers[i])
            addresses[count++] = graph.makers[i];
    symbols_load(addresses, count);
    free(addresses);
}

/* From the directory that we are in, where the file is below it. */
static const char *relative(const char *path)
{
    char here[1024];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;

    return length > 0 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1
                                                                                 : path;
}

static void write_text(FILE *file, const char *text)
{
    fprintf(file, ", ");
    report_quote(file, text);
}

static void write_object(FILE *file, const struct step *step)
{
    struct record_stack stack = {.count = 1, .frames = {step->pc}};
    enum label_kind kind = LABEL_MEMORY;
    char name[SOURCE_NAME] = "", before[32], after[32];
    bool has = labels_kind_of((enum op_kind)step->kind, &kind) && step->pc;

    if (has && !source_name(kind, (enum op_kind)step->kind, &stack, name))
        *name = '\0';
    write_text(file, name);
    bool valued = has && kind == LABEL_ATOMIC;
    write_text(file, valued ? labels_value(step->before, step->size, before) : "");
    write_text(file, valued ? labels_value(step->after, step->size, after) : "");
}

static void write_place(FILE *file, const struct step *step)
{
    size_t count = 0;
    const struct frame *frames = step->pc ? symbols_at(step->pc, &count) : NULL;
    bool known = count > 0 && !symbols_is_ours(frames);

    write_text(file, known ? frames->function : "");
    write_text(file, known ? relative(frames->path) : "");
    fprintf(file, ", %u", known ? frames->line : 0);
}

static void write_step(FILE *file, const struct step *step)
{
    const char *between = "";

    fprintf(file, "[%u", step->thread);
    write_text(file, op_name((enum op_kind)step->kind));
    write_object(file, step);
    write_place(file, step);
    fprintf(file, ", [");
    for (struct set_walk each = set_walk(step->woken); set_next(&each);) {
        fprintf(file, "%s%u", between, each.at);
        between = ", ";
    }
    fprintf(file, "], %" PRId64 "]", step->now - START_OF_TIME);
}

static void write_edge(FILE *file, const struct edge *edge)
{
    fprintf(file, "[%u, [", edge->thread);
    for (uint32_t i = 0; i < edge->count; i++)
        fprintf(file, "%s%" PRIu32, i ? ", " : "", graph.numbers[edge->first + i]);
    fprintf(file, "], %" PRIu32 "]", edge->to);
}

static void write_node(FILE *file, const struct node *node)
{
    if (node->message) {
        fprintf(file, "{\"end\": \"%s\", ", verdict_kind_name((enum verdict_kind)node->verdict));
        report_quote_member(file, "message", node->message);
        fprintf(file, "}");
        return;
    }
    fprintf(file, "{\"go\": [");
    for (uint32_t i = node->edges; i != 0; i = graph.edges[i].next) {
        write_edge(file, &graph.edges[i]);
        fprintf(file, "%s", graph.edges[i].next ? ", " : "");
    }
    fprintf(file, "]}");
}

static void name_actors(struct story *story)
{
    size_t named = 0;

    for (unsigned i = 0; i < MACHINE_THREADS; i++)
        if (graph.makers[i])
            story_name_actor(story, i, graph.makers[i], &named);
}

void graph_write(FILE *file, struct story *story)
{
    load_symbols();
    labels_clear();
    name_actors(story);
    fprintf(file, "{\"format\": \"glasspool-graph\", \"version\": 1, ");
    report_quote_member(file, "program", story->program);
    fprintf(file, ", ");
    report_quote_member(file, "about", story->about ? story->about : "");
    fprintf(file, ",\n\"threads\": [");
    for (unsigned i = 0; i < machine.count; i++) {
        fprintf(file, "%s", i ? ", " : "");
        report_quote(file, story_thread(story, i));
    }
    fprintf(file, "],\n\"steps\": [");
    for (uint32_t i = 0; i < graph.kind_count; i++) {
        fprintf(file, "%s\n", i ? "," : "");
        write_step(file, &graph.kinds[i]);
    }
    fprintf(file, "],\n\"nodes\": [");
    for (uint32_t i = 0; i < graph.node_count; i++) {
        fprintf(file, "%s\n", i ? "," : "");
        write_node(file, &graph.nodes[i]);
    }
    fprintf(file, "]}\n");
}
