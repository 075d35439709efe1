/* The registrar without memory, at each point: GP_ENOMEM, nothing runs, nothing is left. */
#include <glasspool/registrar.h>

#include <glasspool/executors.h>
#include <glasspool/status.h>

#include "fault.h"
#include "pool_support.h"
#include "registrar_support.h"
#include "table/registrar.h"
#include "suite.h"

static int count_run(void *argument, void **result)
{
    (void)result;
    latch_count_down(argument);
    return 0;
}

/* [REGISTRAR-1] [REGISTRAR-2], though a worker is there, and two entries are due at once */
static void gp_registrar_start_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_ANY};
    struct latch runs;
    gp_declared entries[] = {GP_DECLARED_RATE("a", count_run, &runs, "1h"),
                             GP_DECLARED_CRON("b", count_run, &runs, "@yearly", "Europe/Berlin"),
                             GP_DECLARED_CRON("c", count_run, &runs, "@yearly", NULL),
                             GP_DECLARED_DELAY("d", count_run, &runs, "1h")};
    struct tab tab;
    tab_say(&tab, "b cron @monthly zone=UTC\n");
    while (fault_walk_next(&walk)) {
        gp_scheduled *scheduled;
        gp_registrar *registrar = NULL;
        gp_registrar_errors errors = {7, NULL};
        unsigned point = walk.point;
        fault_disarm();
        latch_init(&runs, 2);
        require_ok(gp_executors_scheduled(1, &scheduled));
        require_ok(gp_pool_prestart_core(gp_scheduled_pool(scheduled)));
        gp_registrar_config config = {.entries = entries,
                                      .count = 4,
                                      .scheduled = scheduled,
                                      .file = tab.path,
                                      .environment = "GPTEST",
                                      .errors = &errors};
        fault_arm(FAULT_ANY, point, FAULT_THIS_THREAD);
        int status = gp_registrar_start(&config, &registrar);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((registrar == NULL) == hit);
        check(errors.count == 0 && errors.errors == NULL);
        if (!hit)
            latch_await(&runs);
        gp_registrar_close(registrar);
        scheduled_end(scheduled);
        check_int(runs.count, hit ? 2 : 0);
    }
    tab_end(&tab);
    check(walk.point > 20);
}

static void errors_are_told_or_memory_is_missing(void)
{
    struct fault_walk walk = {.kinds = FAULT_MEMORY};
    gp_declared entries[] = {
        GP_DECLARED_CRON("a", do_nothing_at_all, NULL, "@never", "Mars/X"),
        GP_DECLARED_RATE("b/", do_nothing_at_all, NULL, "x"),
    };
    struct tab tab;
    tab_say(&tab, "c off\na rate x zone=Mars/Y\n\na off off\nd cron 0 0 0 30 2 * zone=X/X\n");
    while (fault_walk_next(&walk)) {
        gp_registrar_errors errors = {7, NULL};
        gp_registrar_config config = {
            .entries = entries, .count = 2, .file = tab.path, .errors = &errors};
        int status = gp_registrar_check(&config);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_EINVAL);
        check_int(errors.count, hit ? 0 : 13);
        gp_registrar_errors_free(&errors);
    }
    tab_end(&tab);
    check(walk.point > 15);
}

static void gp_registrar_read_fails_cleanly_at_each_point(void)
{
    struct fault_walk walk = {.kinds = FAULT_MEMORY};
    struct tab tab;
    tab_say(&tab, "a cron @daily zone=Europe/Berlin\nb rate 1s\nc off\nd cron @daily\n");
    while (fault_walk_next(&walk)) {
        gp_declared *entries = NULL;
        size_t count = 0;
        gp_registrar_errors errors = {0, NULL};
        int status = gp_registrar_read(tab.path, &entries, &count, &errors);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_OK);
        check((entries == NULL) == hit);
        check_int(errors.count, 0);
        gp_registrar_entries_free(entries);
    }
    tab_end(&tab);
    check(walk.point > 5);
}

static void a_missing_file_is_told_or_memory_is_missing(void)
{
    struct fault_walk walk = {.kinds = FAULT_MEMORY};
    while (fault_walk_next(&walk)) {
        gp_declared *entries = NULL;
        size_t count = 0;
        gp_registrar_errors errors = {0, NULL};
        int status = gp_registrar_read("/tmp/tab-is-not/there", &entries, &count, &errors);
        bool hit = fault_walk_hit(&walk);
        check_status(status, hit ? GP_ENOMEM : GP_EINVAL);
        check_int(errors.count, hit ? 0 : 1);
        gp_registrar_errors_free(&errors);
    }
    walk = (struct fault_walk){.kinds = FAULT_MEMORY};
    while (fault_walk_next(&walk)) {
        gp_declared *entries = NULL;
        size_t count = 0;
        int status = gp__registrar_read("text", "a off", 5, &entries, &count, NULL);
        check_status(status, fault_walk_hit(&walk) ? GP_ENOMEM : GP_OK);
        gp_registrar_entries_free(entries);
    }
}

static const struct test tests[] = {
    TEST(gp_registrar_start_fails_cleanly_at_each_point),
    TEST(errors_are_told_or_memory_is_missing),
    TEST(gp_registrar_read_fails_cleanly_at_each_point),
    TEST(a_missing_file_is_told_or_memory_is_missing),
    END_OF_TESTS,
};

const struct suite registrar_faults_suite = {.name = "registrar_faults", .tests = tests};
