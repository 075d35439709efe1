/*
 * Glasspool: a scheduled thread pool you can see through. This header is all of it.
 *
 *     cc program.c $(pkg-config --cflags --libs glasspool)
 *
 * What is to run now is for a pool (pool.h), what is to run later, or again and again, for a
 * scheduled one (scheduled.h); executors.h has them ready-made. What all of them have in common is
 * said once: errors, and where NULL is fine, in status.h; who owns what, in task.h; time, in
 * clock.h.
 */
#ifndef GLASSPOOL_GLASSPOOL_H
#define GLASSPOOL_GLASSPOOL_H

#include "version.h"
#include "status.h"
#include "clock.h"
#include "thread.h"
#include "task.h"
#include "future.h"
#include "queue.h"
#include "pool.h"
#include "zone.h"
#include "cron.h"
#include "scheduled.h"
#include "trigger.h"
#include "duration.h"
#include "registrar.h"
#include "executors.h"
#include "wheel.h"
#include "threadless.h"
#include "report.h"
#include "eager.h"
#include "presets.h"
#include "repository.h"

#endif
