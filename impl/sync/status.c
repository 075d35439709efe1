/* Status codes in words. */
#include <glasspool/status.h>

const char *gp_strerror(int status)
{
    switch (status) {
    case GP_OK:
        return "success";
    case GP_EINVAL:
        return "invalid argument";
    case GP_ENOMEM:
        return "out of memory";
    case GP_EAGAIN:
        return "no thread could be created";
    case GP_EREJECTED:
        return "rejected: shut down, or full";
    case GP_ECANCELLED:
        return "task was cancelled";
    case GP_EFAILED:
        return "task failed";
    case GP_ETIMEDOUT:
        return "timed out";
    case GP_EINTERRUPTED:
        return "interrupted";
    case GP_EDEADLK:
        return "would wait for itself for ever";
    case GP_EBUSY:
        return "still in use";
    case GP_EFULL:
        return "queue is full";
    case GP_EEMPTY:
        return "queue has nothing to give";
    case GP_ENOTFOUND:
        return "not found";
    case GP_ESTATE:
        return "not possible in this state";
    case GP_EPERM:
        return "this executor cannot be reconfigured";
    case GP_EABRUPT:
        return "task left its thread by pthread_exit or cancellation";
    case GP_ENOTSUP:
        return "not supported on this platform";
    default:
        return "unknown status";
    }
}
