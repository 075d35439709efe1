/* Histograms with one writer and any number of readers. */
#ifndef GP_POOL_HISTOGRAM_H
#define GP_POOL_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include <glasspool/pool.h>

/*
 * Lock letters:
 *   A: atomic, relaxed: figures for people; one writer, so no read-modify-write is needed
 */
struct gp__histogram {
    _Atomic uint64_t count;                         /* A */
    _Atomic int64_t total;                          /* A */
    _Atomic int64_t maximum;                        /* A */
    _Atomic uint64_t buckets[GP_HISTOGRAM_BUCKETS]; /* A */
};

void gp__histogram_record(struct gp__histogram *, int64_t nanos);
void gp__histogram_add(struct gp__histogram *, const struct gp__histogram *other);
void gp__histogram_read(const struct gp__histogram *, gp_histogram *sum); /* adds to *sum */

#endif
