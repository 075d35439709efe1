/* Glasspool: a scheduled thread pool you can see through. This header is all of it. */
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
