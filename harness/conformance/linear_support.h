/*
 * Histories for tests: written down call by call, in the order of events.
 *
 *     record(&history, 0, QUEUE_OFFER, 1, GP_OK);              made, and answered at once
 *     struct history_open poll = history_begin(&history, 1, QUEUE_POLL, 0);
 *     record(&history, 0, QUEUE_OFFER, 2, GP_OK);              while the poll is under way
 *     history_end(poll, 1);
 */
#ifndef CONFORMANCE_LINEAR_SUPPORT_H
#define CONFORMANCE_LINEAR_SUPPORT_H

#include "harness/check/models.h"

void record(struct history *, unsigned lane, unsigned operation, int32_t argument, int64_t result);
enum linear_verdict verdict_on(const struct linear_model *, int parameter, const struct history *);
bool explains(const struct linear_model *, const struct history *); /* with parameter 0 */

#endif
