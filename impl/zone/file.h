/* Files inside the library: what an interrupted system call has to do with them ends here. */
#ifndef GP_ZONE_FILE_H
#define GP_ZONE_FILE_H

#include <stddef.h>
#include <sys/types.h> /* ssize_t */

int gp__file_open(const char *path, int flags);           /* to be read; less than 0: see errno */
ssize_t gp__file_read(int file, char *data, size_t size); /* how much there is, as far as it fits;
                                                             less than 0: see errno */

#endif
