/*
 * The atomic operations of one width. atomics.c includes this once for each, with the TYPE of the
 * word and the NAME of an operation set; it has no guard, therefore.
 *
 * The operation itself is sequentially consistent, whatever was asked for: what the tools judge is
 * what they were told. Of the three forms of compare-and-swap gcc calls _strong and _weak, which
 * say whether it succeeded, and clang _val, which says what was there.
 */

TYPE NAME(load)(const volatile TYPE *word, int order)
{
    leave_alone(word, sizeof *word);
    TYPE value = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    after(word, order);
    return value;
}

void NAME(store)(volatile TYPE *word, TYPE value, int order)
{
    leave_alone(word, sizeof *word);
    before(word, order);
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

#define READ_MODIFY_WRITE(operation, builtin)                           \
    TYPE NAME(operation)(volatile TYPE * word, TYPE operand, int order) \
    {                                                                   \
        leave_alone(word, sizeof *word);                                \
        before(word, order);                                            \
        TYPE old = builtin(word, operand, __ATOMIC_SEQ_CST);            \
        after(word, order);                                             \
        return old;                                                     \
    }

READ_MODIFY_WRITE(exchange, __atomic_exchange_n)
READ_MODIFY_WRITE(fetch_add, __atomic_fetch_add)
READ_MODIFY_WRITE(fetch_sub, __atomic_fetch_sub)
READ_MODIFY_WRITE(fetch_and, __atomic_fetch_and)
READ_MODIFY_WRITE(fetch_or, __atomic_fetch_or)
READ_MODIFY_WRITE(fetch_xor, __atomic_fetch_xor)
READ_MODIFY_WRITE(fetch_nand, __atomic_fetch_nand)

/* A look first, since only a swap that will be made is announced. If the look finds another value
   it is the whole operation: a failure, at that moment. */
TYPE NAME(compare_exchange_val)(volatile TYPE *word, TYPE expected, TYPE desired, int order,
                                int failure_order)
{
    leave_alone(word, sizeof *word);
    TYPE seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    if (seen == expected) {
        before(word, order);
        __atomic_compare_exchange_n(word, &seen, desired, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST); /* a failure changes `seen` */
    }
    after(word, seen == expected ? order : failure_order);
    return seen;
}

bool NAME(compare_exchange_strong)(volatile TYPE *word, TYPE *expected, TYPE desired, int order,
                                   int failure_order)
{
    TYPE wanted = *expected;

    *expected = NAME(compare_exchange_val)(word, wanted, desired, order, failure_order);
    return *expected == wanted;
}

bool NAME(compare_exchange_weak)(volatile TYPE *word, TYPE *expected, TYPE desired, int order,
                                 int failure_order)
{
    return NAME(compare_exchange_strong)(word, expected, desired, order, failure_order);
}

#undef TYPE
#undef NAME
#undef READ_MODIFY_WRITE
