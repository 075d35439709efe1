/*
 * Probes: GP_PROBE(name, arguments...) marks a change of state that an observer may want to see.
 *
 * It is a USDT probe where <sys/sdt.h> exists (a nop, until perf or bpftrace attaches), nothing
 * elsewhere. A harness build names a header of its own in GP_PROBE_HEADER, which then defines
 * GP_PROBE and records. No other hook exists in the library.
 */
#ifndef GP_SYNC_PROBE_H
#define GP_SYNC_PROBE_H

#if defined(GP_PROBE_HEADER)
#include GP_PROBE_HEADER
#elif defined(__has_include)
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h> /* STAP_PROBEV */
#define GP_PROBE(name, ...) STAP_PROBEV(glasspool, name, __VA_ARGS__)
#endif
#endif

#ifndef GP_PROBE
#define GP_PROBE(name, ...) ((void)0)
#endif

#endif
