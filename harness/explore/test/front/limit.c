/* Takes more steps than it may be allowed. */
#include <stdatomic.h>

enum {
    ADDITIONS = 5000
};

static atomic_int count;

int main(void)
{
    for (int i = 0; i < ADDITIONS; i++)
        count++;
    return count != ADDITIONS;
}
