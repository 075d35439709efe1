/*
 * The headers in C++: they compile, the functions link as C, and a lambda without captures is a
 * callable. Built by ci/install-test like example.c.
 */
#include <cstdio>

#include <glasspool/glasspool.h>

int main()
{
    int number = 12;
    gp_callable callable = {};
    callable.argument = &number;
    callable.call = [](void *argument, void **result) {
        int *square = static_cast<int *>(argument);
        *square *= *square;
        *result = square;
        return 0;
    };

    gp_future *future = nullptr;
    if (gp_future_new(&callable, &future) != GP_OK)
        return 1;
    gp_future_run(future);
    void *result = nullptr;
    const int status = gp_future_get_timed(future, GP_SECONDS(1), &result);
    std::printf("%s: %s\n", gp_future_state_name(gp_future_state_of(future)), gp_strerror(status));
    gp_future_release(future);
    return status == GP_OK && *static_cast<int *>(result) == 144 ? 0 : 1;
}
