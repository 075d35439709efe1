/*
 * The atomic operations of one width. runtime_atomics.c includes this once for each, with the TYPE
 * of the word and the NAME of an operation set; it has no guard, therefore.
 */

static TYPE NAME(look)(const volatile TYPE *address, TYPE value, int order)
{
    if (!machine.ordering)
        return value;
    if (sizeof value <= sizeof(uint64_t))
        return (TYPE)memory_load((const void *)address, sizeof value, (uint64_t)value, order);
    memory_load((const void *)address, sizeof value, (uint64_t)value, order);
    return value;
}

TYPE NAME(load)(const volatile TYPE *address, int order)
{
    ATOMIC_POINT(OP_LOAD, OP_READS, address, order);
    TYPE value = NAME(look)(address, *address, order);
    looked(address, sizeof value, (uint64_t)value);
    RECORD(value, value);
    return value;
}

void NAME(store)(volatile TYPE *address, TYPE value, int order)
{
    ATOMIC_POINT(OP_STORE, 0, address, order);
    PASS_ON(value);
    RECORD(*address, value);
    if (machine.ordering)
        memory_store((const void *)address, sizeof value, (uint64_t)*address, (uint64_t)value,
                     order);
    if (*address == value)
        note_only_looked();
    else
        machine_changed();
    *address = value;
}

static TYPE NAME(update)(volatile TYPE *address, TYPE old, TYPE value, int order)
{
    PASS_ON(value);
    if (machine.ordering)
        memory_rmw((const void *)address, sizeof old, (uint64_t)old, (uint64_t)value, order);
    *address = value;
    looked(address, sizeof old, (uint64_t)old);
    if (old == value)
        note_only_looked();
    else
        machine_changed();
    RECORD(old, value);
    return old;
}

#define READ_MODIFY_WRITE(operation, value)                                \
    TYPE NAME(operation)(volatile TYPE * address, TYPE operand, int order) \
    {                                                                      \
        ATOMIC_POINT(OP_RMW, 0, address, order);                           \
        TYPE old = *address;                                               \
        return NAME(update)(address, old, (TYPE)(value), order);           \
    }

READ_MODIFY_WRITE(exchange, operand)
READ_MODIFY_WRITE(fetch_add, old + operand)
READ_MODIFY_WRITE(fetch_sub, old - operand)
READ_MODIFY_WRITE(fetch_and, old &operand)
READ_MODIFY_WRITE(fetch_or, old | operand)
READ_MODIFY_WRITE(fetch_xor, old ^ operand)
READ_MODIFY_WRITE(fetch_nand, ~(old &operand))

#undef READ_MODIFY_WRITE

/* What memory says that it finds. Of sixteen bytes, memory is only told whether they were the
   expected ones. */
static TYPE NAME(compare)(volatile TYPE *address, TYPE expected, TYPE desired, int success,
                          int failure)
{
    TYPE old = *address;

    if (!machine.ordering)
        return old;
    if (sizeof old > sizeof(uint64_t)) {
        memory_cas((const void *)address, sizeof old, old != expected, 0, 0, success, failure);
        return old;
    }
    return (TYPE)memory_cas((const void *)address, sizeof old, (uint64_t)old, (uint64_t)expected,
                            (uint64_t)desired, success, failure);
}

/* What it found; `done`: it was the expected value, and has been replaced. */
static TYPE NAME(exchange_if)(volatile TYPE *address, TYPE expected, TYPE desired, int success,
                              int failure, bool weak, bool *done)
{
    bool in_vain = *address == expected && weak && fails_for_no_reason();
    TYPE old = in_vain ? NAME(look)(address, *address, failure)
                       : NAME(compare)(address, expected, desired, success, failure);

    *done = old == expected && !in_vain;
    RECORD(old, *done ? desired : old);
    if (*done) {
        PASS_ON(desired);
        *address = desired;
        machine_changed();
    } else {
        machine_self()->op.flags |= OP_READS;
        if (machine.recording)
            record_order(failure);
        looked(address, sizeof old, (uint64_t)old);
    }
    return old;
}

bool NAME(compare_exchange_strong)(volatile TYPE *address, TYPE *expected, TYPE desired,
                                   int success, int failure)
{
    bool done;

    ATOMIC_POINT(OP_CAS, 0, address, success);
    TYPE old = NAME(exchange_if)(address, *expected, desired, success, failure, false, &done);
    if (!done)
        *expected = old;
    return done;
}

bool NAME(compare_exchange_weak)(volatile TYPE *address, TYPE *expected, TYPE desired, int success,
                                 int failure)
{
    bool done;

    ATOMIC_POINT(OP_CAS, 0, address, success);
    TYPE old = NAME(exchange_if)(address, *expected, desired, success, failure, true, &done);
    if (!done)
        *expected = old;
    return done;
}

TYPE NAME(compare_exchange_val)(volatile TYPE *address, TYPE expected, TYPE desired, int success,
                                int failure)
{
    bool done;

    ATOMIC_POINT(OP_CAS, 0, address, success);
    return NAME(exchange_if)(address, expected, desired, success, failure, false, &done);
}
