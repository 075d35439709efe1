/*
 * The atomic operations of one width. runtime_atomics.c includes this once for each, with the TYPE
 * of the word and the NAME of an operation set; it has no guard, therefore.
 *
 * The `key` of an atomic is what it is known by; its memory is at its address.
 */

static TYPE NAME(look)(const void *key, TYPE value, int order)
{
    if (!machine.ordering)
        return value;
    if (sizeof value <= sizeof(uint64_t))
        return (TYPE)memory_load(key, sizeof value, (uint64_t)value, order);
    memory_load(key, sizeof value, (uint64_t)value, order);
    return value;
}

TYPE NAME(load)(const volatile TYPE *address, int order)
{
    const void *key = runtime_key_of(address);

    ATOMIC_POINT(OP_LOAD, OP_READS, key, order);
    TYPE value = NAME(look)(key, *address, order);
    RECORD(value, value);
    spin_looked(address, sizeof value, (uint64_t)value);
    return value;
}

/* Memory holds the latest store, and that need not be this one. */
static void NAME(put)(volatile TYPE *address, TYPE held)
{
    if (*address == held)
        note_only_looked();
    else
        machine_changed();
    *address = held;
}

/* What memory_store and memory_rmw say of sixteen bytes tells nothing. */
static TYPE NAME(held)(uint64_t held, TYPE value)
{
    return sizeof value <= sizeof held ? (TYPE)held : value;
}

void NAME(store)(volatile TYPE *address, TYPE value, int order)
{
    const void *key = runtime_key_of(address);
    TYPE held = value;

    ATOMIC_POINT(OP_STORE, 0, key, order);
    PASS_ON(value);
    RECORD(*address, value);
    if (machine.ordering)
        held = NAME(held)(
            memory_store(key, sizeof value, (uint64_t)*address, (uint64_t)value, order), value);
    NAME(put)(address, held);
}

static TYPE NAME(find)(const void *key, TYPE held, int order)
{
    if (!machine.ordering)
        return held;
    return NAME(held)(memory_find(key, sizeof held, (uint64_t)held, order), held);
}

static TYPE NAME(update)(volatile TYPE *address, const void *key, TYPE old, TYPE value, int order)
{
    TYPE held = value;

    PASS_ON(value);
    if (machine.ordering)
        held = NAME(held)(memory_rmw(key, sizeof old, (uint64_t)*address, (uint64_t)value, order),
                          value);
    RECORD(old, value);
    NAME(put)(address, held);
    if (old == value)
        spin_looked(address, sizeof old, (uint64_t)old);
    return old;
}

#define READ_MODIFY_WRITE(operation, value)                                \
    TYPE NAME(operation)(volatile TYPE * address, TYPE operand, int order) \
    {                                                                      \
        const void *key = runtime_key_of(address);                         \
                                                                           \
        ATOMIC_POINT(OP_RMW, 0, key, order);                               \
        TYPE old = NAME(find)(key, *address, order);                       \
        return NAME(update)(address, key, old, (TYPE)(value), order);      \
    }

READ_MODIFY_WRITE(exchange, operand)
READ_MODIFY_WRITE(fetch_add, old + operand)
READ_MODIFY_WRITE(fetch_sub, old - operand)
READ_MODIFY_WRITE(fetch_and, old &operand)
READ_MODIFY_WRITE(fetch_or, old | operand)
READ_MODIFY_WRITE(fetch_xor, old ^ operand)
READ_MODIFY_WRITE(fetch_nand, ~(old &operand))

#undef READ_MODIFY_WRITE

/* What memory says that it finds, and what it holds afterwards if that was replaced. Of sixteen
   bytes, memory is only told whether they were the expected ones. */
static TYPE NAME(compare)(const void *key, TYPE old, TYPE expected, TYPE desired, int success,
                          int failure, TYPE *held)
{
    uint64_t word = (uint64_t)old;

    if (!machine.ordering)
        return old;
    if (sizeof old > sizeof word) {
        word = old != expected;
        memory_cas(key, sizeof old, &word, 0, 0, success, failure);
        return old;
    }
    old = (TYPE)memory_cas(key, sizeof old, &word, (uint64_t)expected, (uint64_t)desired, success,
                           failure);
    *held = (TYPE)word;
    return old;
}

/* What it found; `done`: it was the expected value, and has been replaced. */
static TYPE NAME(exchange_if)(volatile TYPE *address, const void *key, TYPE expected, TYPE desired,
                              int success, int failure, bool weak, bool *done)
{
    bool may_hold = *address == expected || memory_rules.model == MEMORY_C11; /* an older store */
    bool in_vain = may_hold && weak && machine_fails(DATUM_WEAK_CAS, &machine.faults.weak_cas);
    TYPE held = desired;
    TYPE old = in_vain ? NAME(look)(key, *address, failure)
                       : NAME(compare)(key, *address, expected, desired, success, failure, &held);

    *done = old == expected && !in_vain;
    RECORD(old, *done ? desired : old);
    if (*done) {
        PASS_ON(desired);
        *address = held;
        machine_changed();
    } else {
        machine_self()->op.flags |= OP_READS;
        if (machine.recording)
            record_order(failure);
        spin_looked(address, sizeof old, (uint64_t)old);
    }
    return old;
}

bool NAME(compare_exchange_strong)(volatile TYPE *address, TYPE *expected, TYPE desired,
                                   int success, int failure)
{
    const void *key = runtime_key_of(address);
    bool done;

    LOOK_AT_EXPECTED(expected);
    ATOMIC_POINT(OP_CAS, 0, key, success);
    TYPE old = NAME(exchange_if)(address, key, *expected, desired, success, failure, false, &done);
    if (!done)
        SET_EXPECTED(expected, old);
    return done;
}

bool NAME(compare_exchange_weak)(volatile TYPE *address, TYPE *expected, TYPE desired, int success,
                                 int failure)
{
    const void *key = runtime_key_of(address);
    bool done;

    LOOK_AT_EXPECTED(expected);
    ATOMIC_POINT(OP_CAS, 0, key, success);
    TYPE old = NAME(exchange_if)(address, key, *expected, desired, success, failure, true, &done);
    if (!done)
        SET_EXPECTED(expected, old);
    return done;
}

TYPE NAME(compare_exchange_val)(volatile TYPE *address, TYPE expected, TYPE desired, int success,
                                int failure)
{
    const void *key = runtime_key_of(address);
    bool weak = runtime_is_weak_exchange(address), done;

    ATOMIC_POINT(OP_CAS, 0, key, success);
    TYPE old = NAME(exchange_if)(address, key, expected, desired, success, failure, weak, &done);
    if (old == expected && !done)
        machine_self()->weak_exchange = machine_self();
    return old;
}
