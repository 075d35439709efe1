/* The suites of this program. */
#include "harness/conformance/suite.h"

#define SUITE(name) extern const struct suite name##_suite;
#include "harness/explore/test/suites.def"
#undef SUITE

#define SUITE(name) &name##_suite,
const struct suite *const suites[] = {
#include "harness/explore/test/suites.def"
    NULL};
#undef SUITE
