/* Memory: which bytes an access touches, whose they are, and what is remembered of them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/explore/test/pairs/pairs.h"

#define TELL(order)  atomic_store_explicit(&flag, 1, memory_order_##order)
#define HEARD(order) atomic_load_explicit(&flag, memory_order_##order)

/* ---- global variables, local variables, blocks ---- */

IN_TURN(global_racy, value = 1, value = 2; use(value))
IN_TURN(global_ordered, value = 1, other_value = 2; use(other_value))

static void *set(void *place)
{
    *(int *)place = 1;
    step_done(0);
    return NULL;
}

void local_racy(void)
{
    int local = 0;
    pthread_t writer = start(set, &local);

    after_step(0);
    use(local);
    pthread_join(writer, NULL);
}

void local_ordered(void)
{
    int local = 0;
    pthread_t writer = start(set, &local);

    pthread_join(writer, NULL);
    use(local);
}

static int *block;

#define MAKE_BLOCK block = calloc(4, sizeof *block)

IN_TURN_WITH(block_racy, MAKE_BLOCK, block[2] = 1, use(block[2]))
IN_TURN_WITH(block_ordered, MAKE_BLOCK, block[2] = 1, use(block[3]))

/* Allocating writes the block, and freeing it does. */
static _Atomic(int *) published;

#define PUBLISH(name, told, hears)                                                 \
    IN_TURN(name, atomic_store_explicit(&published, calloc(1, sizeof(int)), told), \
            int *seen = atomic_load_explicit(&published, hears);                   \
            if (seen) use(*seen))

PUBLISH(publish_racy, memory_order_relaxed, memory_order_relaxed)
PUBLISH(publish_ordered, memory_order_release, memory_order_acquire)

/* What is written to the other half of the word says nothing of this one. */
#define PUBLISH_HALF(name, told, hears)                             \
    IN_TURN(name, int *made = calloc(2, sizeof *made); made[1] = 1; \
            atomic_store_explicit(&published, made, told),          \
            int *seen = atomic_load_explicit(&published, hears);    \
            if (seen) use(*seen))

PUBLISH_HALF(publish_half_racy, memory_order_relaxed, memory_order_relaxed)
PUBLISH_HALF(publish_half_ordered, memory_order_release, memory_order_acquire)

#define FREE(name, told, hears)                                         \
    IN_TURN_WITH(                                                       \
        name, MAKE_BLOCK, block[0] = 1; TELL(told), if (HEARD(hears)) { \
            use(1);                                                     \
            free(block);                                                \
        })

FREE(free_racy, relaxed, relaxed)
FREE(free_ordered, release, acquire)

#define REALLOCATE(name, told, hears)                                   \
    IN_TURN_WITH(                                                       \
        name, MAKE_BLOCK, block[0] = 1; TELL(told), if (HEARD(hears)) { \
            int *larger = realloc(block, 64 * sizeof *block);           \
            use(larger[0]);                                             \
            free(larger);                                               \
        })

REALLOCATE(realloc_racy, relaxed, relaxed)
REALLOCATE(realloc_ordered, release, acquire)

/* ---- bytes ---- */

static _Alignas(8) char bytes[24];
extern char text[8]; /* unknown to the compiler, which then copies it by a call */
char text[8] = "text";

IN_TURN(bytes_racy, bytes[3] = 1, use(bytes[3]))
IN_TURN(bytes_ordered, bytes[3] = 1, use(bytes[4]))

static volatile struct {
    unsigned low : 4, high : 4;
} together;

static volatile struct {
    unsigned low : 4;
    unsigned : 0; /* the next one begins a new unit */
    unsigned high : 4;
} apart;

IN_TURN(bit_fields_racy, together.low = 1, together.high = 1; use(1))
IN_TURN(bit_fields_ordered, apart.low = 1, apart.high = 1; use(1))

extern union sizes {
    uint64_t eight;
    uint32_t four[2];
    uint16_t two[4];
    uint8_t one[8];
} sizes;
union sizes sizes;

IN_TURN(sizes_8_1_racy, sizes.eight = 1, use(sizes.one[7]))
IN_TURN(sizes_8_1_ordered, sizes.four[0] = 1, use(sizes.one[7]))
IN_TURN(sizes_2_4_racy, sizes.two[1] = 1, use((int)sizes.four[0]))
IN_TURN(sizes_2_4_ordered, sizes.two[1] = 1, use((int)sizes.four[1]))

/* Across a boundary of eight bytes: from the sixth byte to the thirteenth. */
static struct __attribute__((packed, aligned(8))) {
    char before[5];
    uint64_t eight;
    char after[3];
} packed;

IN_TURN(unaligned_racy, packed.eight = 1, use(((volatile char *)&packed)[12]))
IN_TURN(unaligned_ordered, packed.eight = 1, use(((volatile char *)&packed)[13]))

IN_TURN(memset_racy, memset(bytes + 5, 1, 8), use(bytes[12]))
IN_TURN(memset_ordered, memset(bytes + 5, 1, 8), use(bytes[13]))

static int sum_of_copy(size_t from)
{
    char copy[8];

    memcpy(copy, bytes + from, sizeof copy);
    return copy[0] + copy[7];
}

IN_TURN(memcpy_racy, bytes[12] = 1, use(sum_of_copy(5)))
IN_TURN(memcpy_ordered, bytes[13] = 1, use(sum_of_copy(5)))

IN_TURN(memmove_racy, memmove(bytes + 2, bytes, 8), use(bytes[9]))
IN_TURN(memmove_ordered, memmove(bytes + 2, bytes, 8), use(bytes[10]))

/* Functions of <string.h> read up to the end of the text, and no further. */
IN_TURN_WITH(strlen_racy, memcpy(bytes, "text", 5), bytes[3] = 'T', use((int)strlen(bytes)))
IN_TURN_WITH(strlen_ordered, memcpy(bytes, "text", 5), bytes[5] = 'T', use((int)strlen(bytes)))

IN_TURN(strcpy_racy, strcpy(bytes, text), use(bytes[4]))
IN_TURN(strcpy_ordered, strcpy(bytes, text), use(bytes[5]))

/* Assigned as a whole, by whatever the compiler makes of that. */
static struct five {
    int parts[5];
} from, to[2];

IN_TURN(struct_racy, to[0] = from, use(to[0].parts[4]))
IN_TURN(struct_ordered, to[0] = from, use(to[1].parts[0]))

/* ---- what is remembered ---- */

/* A write, although a reader that knew of it came after. */
ROLE(write_and_tell, value = 1; TELL(release); step_done(0))
ROLE(read_if_told, after_step(0); if (HEARD(acquire)) use(value); step_done(1))
ROLE(read_untold, after_step(1); use(value))
ROLE(read_if_told_too, after_step(1); if (HEARD(acquire)) use(value))

void second_reader_racy(void)
{
    run_three(write_and_tell, read_if_told, read_untold);
}

void second_reader_ordered(void)
{
    run_three(write_and_tell, read_if_told, read_if_told_too);
}

/* A read, although a write that all know of came before. */
ROLE(write_value, value = 1)
ROLE(read_value, use(value); step_done(0))
ROLE(write_after_read, after_step(0); value = 2)
ROLE(read_after_read, after_step(0); use(value))

void known_write_racy(void)
{
    pthread_join(start(write_value, NULL), NULL);
    run_both(read_value, write_after_read);
}

void known_write_ordered(void)
{
    pthread_join(start(write_value, NULL), NULL);
    run_both(read_value, read_after_read);
}

/* One access, although many by others came after. */
enum {
    MANY = 7
};

static void run_many(role_fn *role)
{
    pthread_t threads[MANY];

    for (int i = 0; i < MANY; i++)
        threads[i] = start(role, &sizes.one[i + 1]);
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
}

void many_readers_racy(void)
{
    pthread_t reader = start(read_value, NULL);

    after_step(0);
    run_many(read_value);
    value = 1;
    pthread_join(reader, NULL);
}

void many_readers_ordered(void)
{
    pthread_t reader = start(read_value, NULL);

    after_step(0);
    run_many(read_value);
    pthread_join(reader, NULL);
    value = 1;
}

static void *set_byte(void *place)
{
    *(uint8_t *)place = 1;
    step_done(0);
    return NULL;
}

void many_bytes_racy(void)
{
    pthread_t writer = start(set_byte, &sizes.one[0]);

    after_step(0);
    run_many(set_byte);
    use(sizes.one[0]);
    pthread_join(writer, NULL);
}

void many_bytes_ordered(void)
{
    pthread_t writer = start(set_byte, &sizes.one[0]);

    after_step(0);
    run_many(set_byte);
    pthread_join(writer, NULL);
    use(sizes.one[0]);
}
