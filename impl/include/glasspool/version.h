/* Glasspool: the version of the library, in one place. The build reads it from here. */
#ifndef GLASSPOOL_VERSION_H
#define GLASSPOOL_VERSION_H

#define GP_VERSION_MAJOR 0
#define GP_VERSION_MINOR 1
#define GP_VERSION_PATCH 0

#endif
