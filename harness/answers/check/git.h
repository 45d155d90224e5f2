/*
 * git — a commit of the repository that a folder is in: whether its history has it, and the kernel
 * texts that it has. Runs git; nothing of the repository is executed or changed.
 */
#ifndef PAIRMARK_ANSWERS_CHECK_GIT_H
#define PAIRMARK_ANSWERS_CHECK_GIT_H

#include <stddef.h>

struct git_text;

struct git_commit {
    const char *folder;
    char name[41]; /* "": none */
    char *files;   /* all of its paths, a line each; NULL: not asked yet */
    struct git_text *texts;
    size_t text_count;
};

enum git_answer {
    GIT_RELEASED,  /* HEAD or one before it */
    GIT_UNKNOWN,   /* the history is all there and does not have it */
    GIT_NO_COMMIT, /* the word is no commit's hash */
    GIT_NO_HISTORY /* no git, no repository of pairmark, or a shallow one */
};

/* The folder must outlive the commit. */
enum git_answer git_look_up(struct git_commit *commit, const char *folder, const char *name);
/* The text of a file of this name somewhere in a released commit; the commit's. NULL: none. */
const char *git_find_text(struct git_commit *commit, const char *file);
void git_free(struct git_commit *commit); /* also of a zeroed one */

#endif
