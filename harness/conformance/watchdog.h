/* The watchdog: a test that hangs is named, its threads are shown, and the run ends. */
#ifndef CONFORMANCE_WATCHDOG_H
#define CONFORMANCE_WATCHDOG_H

struct tally { /* of tests */
    unsigned passed;
    unsigned failed;
};

void watchdog_set_patience(int seconds); /* with a test; before the first */
void watchdog_test_begins(const char *suite, const char *test);
void watchdog_test_ends(int failures); /* counts the test */
void watchdog_run_ends(void);
struct tally watchdog_watch(void); /* until the run ends; exits if a test hangs */
void watchdog_close(struct tally); /* prints the closing line */

#endif
