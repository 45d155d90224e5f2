#include "campaign/campaign_signals.h"

#include <string.h>

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGXFSZ };

enum { CAUGHT = sizeof caught / sizeof caught[0], NOTED = CAUGHT - 1 };

/* A signal handler can speak to the rest of the process through nothing else. */
static volatile sig_atomic_t noted_signal;

static void note(int number) {
    noted_signal = number;
}

void campaign_signals_catch(struct campaign_signals *signals) {
    struct sigaction action;
    noted_signal = 0;
    for (int i = 0; i < CAUGHT; i++) {
        memset(&action, 0, sizeof action);
        (void)sigemptyset(&action.sa_mask);
        action.sa_handler = i < NOTED ? note : SIG_IGN;
        action.sa_flags = i < NOTED ? (int)SA_RESETHAND : 0;
        (void)sigaction(caught[i], NULL, &signals->before[i]);
        /* What was ignored stays so: nohup means it. */
        if (signals->before[i].sa_handler != SIG_IGN) {
            (void)sigaction(caught[i], &action, NULL);
        }
    }
}

int campaign_signals_noted(void) {
    return noted_signal;
}

void campaign_signals_restore(const struct campaign_signals *signals) {
    for (int i = 0; i < CAUGHT; i++) {
        (void)sigaction(caught[i], &signals->before[i], NULL);
    }
}
