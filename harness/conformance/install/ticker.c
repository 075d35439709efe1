#include <glasspool/glasspool.h>
#include <stdio.h>

static void tick(void *name)
{
    printf("%s\n", (const char *)name);
}

int main(void)
{
    gp_callable callable = gp_callable_of(tick, "tick", NULL);
    gp_scheduled *scheduled;
    if (gp_executors_scheduled(2, &scheduled) != GP_OK)
        return 1;
    gp_schedule_at_fixed_rate(scheduled, &callable, 0, GP_MILLISECONDS(100), NULL);
    gp_sleep(GP_SECONDS(1));
    return gp_scheduled_close(scheduled) == GP_OK ? 0 : 1;
}
