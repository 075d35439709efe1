/* Glasspool: what every public header needs: linkage for C++, and the mark of an exported function.
 */
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

#endif
