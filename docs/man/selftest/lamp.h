/*
 * Glasspool: lamps. They shine.
 *
 *     OFF -> ON     gp_lamp_on
 *
 * What they do:
 *
 *     - shine, and
 *       go on.
 */
#ifndef GLASSPOOL_LAMP_H
#define GLASSPOOL_LAMP_H

#include <stdint.h> /* int64_t */

GP_BEGIN_DECLS

typedef struct gp_lamp gp_lamp;

/* What is wrong. */
enum gp_status {
    GP_OK,
    GP_EDARK /* no light */
};

typedef struct gp_lamp_config { /* copied */
    int watts; /* 1 or more;
                  at most 60 */
    void (*burnt)(void *context, int status);
} gp_lamp_config;

#define GP_WATTS 60 /* as a rule */

GP_API int gp_lamp_new(const gp_lamp_config *,
                       gp_lamp **out); /* GP_EDARK; `out` is *yours* */

/* Using it. Twice
   is fine. */

/* These two. */
GP_API void gp_lamp_on(gp_lamp *); /* bright */
GP_API void gp_lamp_off(gp_lamp *);

GP_END_DECLS

#endif
