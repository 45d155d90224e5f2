#include "commands/sweep_command.h"

#include "campaign/campaign_signals.h"
#include "core/strings.h"

#include <stdlib.h>

static bool take_arguments(const struct sweep_command *command, int argc, char **argv,
                           struct axes *axes, void *context, bool *help, struct error *error) {
    for (int i = 1; i < argc;) {
        bool taken;
        if (!command_take_own(command->name, argc, argv, &i, command->take_option, context, &taken,
                              error) ||
            (!taken && !command_take_reference(argc, argv, &i, NULL, &taken, error)) ||
            (!taken && !axes_take_option(axes, argc, argv, &i, &taken, error))) {
            return false;
        }
        if (taken) {
            continue;
        }
        if (command_is_help(argv[i])) {
            *help = true;
        } else if (!command->take_word(context, argv[i], &taken, error)) {
            return false;
        } else if (!taken) {
            return command_unknown_option(argv[i], command->name, error);
        }
        i++;
    }
    return *help || !command->check || command->check(context, error);
}

static bool ask_devices(const struct sweep_command *command, const struct axes *axes, void *context,
                        int *status, struct error *error) {
    struct campaign_signals signals;
    char **devices = split_list(axes->device ? axes->device : "", ',');
    campaign_signals_catch(&signals);
    bool done =
        (devices || fail_out_of_memory(error, "--device")) && command->begin(context, error);
    for (size_t i = 0; done && devices[i] && !campaign_signals_noted(); i++) {
        done = command->ask_device(context, devices[i], error);
    }
    const int noted = campaign_signals_noted();
    if (done) {
        const int exit_code = command->conclude(context, noted != 0);
        *status = noted ? 128 + noted : exit_code;
    }
    campaign_signals_restore(&signals);
    command->end(context);
    free(devices);
    return done;
}

int sweep_command_run(const struct sweep_command *command, int argc, char **argv, struct axes *axes,
                      void *context) {
    struct error error;
    bool help = false;
    int status = 0;
    bool ran = take_arguments(command, argc, argv, axes, context, &help, &error);
    if (ran && help) {
        (void)fputs(command->help, stdout);
        command_print_axes();
        (void)fputs(command->help_after, stdout);
    } else if (ran) {
        command_report_confinement(command->name, axes);
        ran = ask_devices(command, axes, context, &status, &error);
    }
    axes_free(axes);
    return ran ? status : command_fail(command->name, &error);
}
