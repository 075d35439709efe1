/*
 * noaslr: a ThreadSanitizer program that starts whatever vm.mmap_rnd_bits says.
 *
 * The TSan runtimes of gcc 12 and clang 14 know fixed ranges of addresses. With 32 bits of
 * randomisation (the default of several distributions) the kernel places the program outside
 * them, and it dies before main with "FATAL: ThreadSanitizer: unexpected memory mapping", or with
 * no message at all. The cure is to start the program once more without randomisation, and the
 * program does so itself: however it is started, by make, by hand or under a debugger.
 *
 * Where to do it. A constructor is too late: both compilers put a call of __tsan_init into
 * .preinit_array, ahead of our objects, and that call is the one that dies. It is however an
 * ordinary undefined symbol, so the linker can give it to us: the tsan flavour links with
 * --wrap=__tsan_init, and the function below runs first.
 *
 * What may be done there. Nothing that the runtime intercepts (readlink and execve are, and would
 * enter a runtime that is not initialised), hence syscall() throughout. Nothing instrumented: the
 * Makefile compiles this file without -fsanitize=thread, and links it into that flavour alone.
 *
 * It happens once: the second start finds ADDR_NO_RANDOMIZE set. Where personality(2) is forbidden,
 * as in many containers, nothing changes, and the runtime speaks for itself.
 */
#include <fcntl.h>           /* AT_FDCWD */
#include <limits.h>          /* PATH_MAX */
#include <stdbool.h>         /* bool */
#include <sys/personality.h> /* ADDR_NO_RANDOMIZE */
#include <sys/syscall.h>     /* SYS_* */
#include <unistd.h>          /* syscall */

void __real___tsan_init(void);
void __wrap___tsan_init(int argc, char **argv, char **envp);

/* True if this process was randomised and its next exec will not be. */
static bool randomisation_switched_off(void)
{
    long persona = syscall(SYS_personality, 0xffffffffUL); /* this value only asks */

    if (persona == -1 || (persona & ADDR_NO_RANDOMIZE))
        return false;
    return syscall(SYS_personality, (unsigned long)persona | ADDR_NO_RANDOMIZE) != -1;
}

/*
 * The C library hands argc, argv and envp to whatever stands in .preinit_array. The later calls,
 * from the constructor of each instrumented file, pass nothing; they never get as far as argv.
 * The path is read from the link, not executed through it, so that the process keeps its name.
 */
void __wrap___tsan_init(int argc, char **argv, char **envp)
{
    static bool asked;
    char self[PATH_MAX];

    (void)argc;
    if (!asked) {
        asked = true;
        if (randomisation_switched_off()) {
            long length =
                syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", self, sizeof self - 1);
            if (length > 0) {
                self[length] = '\0';
                syscall(SYS_execve, self, argv, envp);
            }
        }
    }
    __real___tsan_init();
}
