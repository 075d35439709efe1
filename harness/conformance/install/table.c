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

static void tell(const gp_registrar_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        fprintf(stderr, "%s:%zu:%zu: %s\n", errors->errors[i].source, errors->errors[i].line,
                errors->errors[i].column, errors->errors[i].text);
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
