#include <glasspool/glasspool.h>
#include <stdio.h>

static char report[] = "the report is sent";
static char files[] = "the files are in sync";

static int say(void *text, void **result)
{
    (void)result;
    return puts((const char *)text) < 0;
}

static const gp_declared table[] = {
    GP_DECLARED_CRON("report", say, report, "0 30 9 * * MON-FRI", "Europe/Berlin"),
    GP_DECLARED_RATE("sync", say, files, "500ms"),
};

/* A line or a column of 0 is none: a variable of the environment has no lines. */
static void tell_place(const gp_registrar_error *error)
{
    fprintf(stderr, "%s:", error->source);
    if (error->line > 0)
        fprintf(stderr, "%zu:", error->line);
    if (error->column > 0)
        fprintf(stderr, "%zu:", error->column);
}

static void tell(const gp_registrar_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        tell_place(&errors->errors[i]);
        fprintf(stderr, " %s\n", errors->errors[i].text);
    }
}

int main(int count, char **arguments)
{
    gp_registrar *registrar = NULL;
    gp_registrar_errors errors;
    gp_registrar_config config = {table, 2, NULL, NULL, "APP", &errors};
    config.file = count > 1 ? arguments[1] : NULL;
    if (gp_executors_scheduled(2, &config.scheduled) != GP_OK)
        return 1;
    int status = gp_registrar_start(&config, &registrar);
    tell(&errors);
    if (status == GP_OK)
        gp_sleep(GP_SECONDS(1));
    gp_registrar_close(registrar);
    gp_registrar_errors_free(&errors);
    gp_scheduled_close(config.scheduled);
    return status == GP_OK ? 0 : 1;
}
