/* Glasspool: what every public header needs: linkage for C++, the mark of an exported function, and
   the kinds of a concept. */
#ifndef GLASSPOOL_API_H
#define GLASSPOOL_API_H

#if defined(__GNUC__)
#define GP_API __attribute__((visibility("default")))
#else
#define GP_API
#endif

#ifdef __cplusplus
#define GP_BEGIN_DECLS extern "C" {
#define GP_END_DECLS   }
#else
#define GP_BEGIN_DECLS
#define GP_END_DECLS
#endif

/* Where a concept has two kinds: one follows the documents step by step, the other is built for
   speed. The contract is the same, but for what the configuration at hand says. */
typedef enum gp_kind {
    GP_REFERENCE,
    GP_FAST
} gp_kind;

#endif
