/* See answer.h. */
#include "stress/answer.h"

#include <glasspool/status.h>

unsigned char answer_of(int status, bool expected)
{
    switch (status) {
    case GP_OK:
        return expected ? THE_RESULT : SOMETHING_ELSE;
    case GP_ECANCELLED:
        return CANCELLATION;
    case GP_ETIMEDOUT:
        return TIME_OUT;
    case GP_EINTERRUPTED:
        return INTERRUPT;
    default:
        return SOMETHING_ELSE;
    }
}
