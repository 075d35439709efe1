#include "harness/explore/memory.h"
struct memory_rules memory_rules;
void memory_reset(void) {}
uint64_t memory_load(const void *a, size_t s, uint64_t old, int o)
{
    (void)a;
    (void)s;
    (void)o;
    return old;
}
void memory_store(const void *a, size_t s, uint64_t old, uint64_t n, int o)
{
    (void)a;
    (void)s;
    (void)old;
    (void)n;
    (void)o;
}
void memory_rmw(const void *a, size_t s, uint64_t old, uint64_t n, int o)
{
    (void)a;
    (void)s;
    (void)old;
    (void)n;
    (void)o;
}
uint64_t memory_failed_cas(const void *a, size_t s, uint64_t old, uint64_t e, int o)
{
    (void)a;
    (void)s;
    (void)e;
    (void)o;
    return old;
}
void memory_fence(int o)
{
    (void)o;
}
void memory_acquire(const void *o)
{
    (void)o;
}
void memory_release(const void *o)
{
    (void)o;
}
void memory_fork(unsigned c)
{
    (void)c;
}
void memory_join(unsigned c)
{
    (void)c;
}
void memory_access(const void *a, size_t s, unsigned f, const void *pc)
{
    (void)a;
    (void)s;
    (void)f;
    (void)pc;
}
void memory_forget(const void *a, size_t s)
{
    (void)a;
    (void)s;
}
