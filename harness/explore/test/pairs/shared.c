/* What the programs of all files share. */
#include "harness/explore/test/pairs/pairs.h"

int value, other_value;
atomic_int flag;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

const struct timespec long_ago = {.tv_sec = 1};
const struct timespec far_off = {.tv_sec = 4102444800}; /* the year 2100 */
