/*
 * Histograms: how long tasks wait and how long they run, in powers of two.
 *
 * Each worker has its own pair and is the only one to write it, so recording is a handful of plain
 * loads and stores; a reader adds up the pairs of all workers and may miss what happens meanwhile.
 * A power of two per bucket is coarse, but it spans nanoseconds to centuries in 64 counters and
 * needs no configuration.
 */
#include "pool/histogram.h"

#define LOAD(field)         atomic_load_explicit(&(field), memory_order_relaxed)
#define STORE(field, value) atomic_store_explicit(&(field), (value), memory_order_relaxed)

static unsigned bucket_of(int64_t nanos)
{
    unsigned bucket = 0;
    for (uint64_t rest = (uint64_t)nanos; rest != 0; rest >>= 1)
        bucket++;
    return bucket;
}

void gp__histogram_record(struct gp__histogram *histogram, int64_t nanos)
{
    if (nanos < 0)
        nanos = 0;
    unsigned bucket = bucket_of(nanos);
    STORE(histogram->count, LOAD(histogram->count) + 1);
    STORE(histogram->total, LOAD(histogram->total) + nanos);
    STORE(histogram->buckets[bucket], LOAD(histogram->buckets[bucket]) + 1);
    if (nanos > LOAD(histogram->maximum))
        STORE(histogram->maximum, nanos);
}

void gp__histogram_add(struct gp__histogram *histogram, const struct gp__histogram *other)
{
    STORE(histogram->count, LOAD(histogram->count) + LOAD(other->count));
    STORE(histogram->total, LOAD(histogram->total) + LOAD(other->total));
    for (unsigned i = 0; i < GP_HISTOGRAM_BUCKETS; i++)
        STORE(histogram->buckets[i], LOAD(histogram->buckets[i]) + LOAD(other->buckets[i]));
    if (LOAD(other->maximum) > LOAD(histogram->maximum))
        STORE(histogram->maximum, LOAD(other->maximum));
}

void gp__histogram_read(const struct gp__histogram *histogram, gp_histogram *sum)
{
    sum->count += LOAD(histogram->count);
    sum->total += LOAD(histogram->total);
    for (unsigned i = 0; i < GP_HISTOGRAM_BUCKETS; i++)
        sum->buckets[i] += LOAD(histogram->buckets[i]);
    if (LOAD(histogram->maximum) > sum->maximum)
        sum->maximum = LOAD(histogram->maximum);
}

int64_t gp_histogram_quantile(const gp_histogram *histogram, double share)
{
    double wanted = share * (double)histogram->count;
    uint64_t seen = 0;
    for (unsigned i = 0; i < GP_HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen > 0 && (double)seen >= wanted) {
            int64_t bound = i == 0 ? 0 : (int64_t)((UINT64_C(1) << i) - 1);
            return bound < histogram->maximum ? bound : histogram->maximum;
        }
    }
    return histogram->maximum;
}
