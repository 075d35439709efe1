/* Takes a token with a weak compare-exchange and without a loop; with an argument with a loop. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool taken;

static bool take(void)
{
    bool expected = false;

    return atomic_compare_exchange_weak(&taken, &expected, true);
}

int main(int words, char **unused)
{
    bool done = take();

    (void)unused;
    while (words > 1 && !done)
        done = take();
    assert(done);
    return 0;
}
