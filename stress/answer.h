/* What get says of a future, as a value of a slot. */
#ifndef STRESS_ANSWER_H
#define STRESS_ANSWER_H

#include <stdbool.h>

enum answer {
    NO_ANSWER,
    THE_RESULT,
    CANCELLATION,
    THE_OTHER_RESULT,
    THE_FAILURE,
    TIME_OUT,
    INTERRUPT,
    SOMETHING_ELSE
};

#define ANSWERS                                                                       \
    {                                                                                 \
        "nothing", "the result", "a cancellation", "the other result", "the failure", \
            "a time-out", "an interrupt", "something else"                            \
    }

/* Expected: the result is the right one. Which failure, or which other result, the caller knows. */
unsigned char answer_of(int status, bool expected);

#endif
