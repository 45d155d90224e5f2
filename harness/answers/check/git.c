#include "answers/check/git.h"

#include "campaign/memory.h"
#include "core/strings.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct git_text {
    char *file, *text;
};

enum { MOST_WORDS = 8 };

/* Runs `git -C FOLDER WORD...`; returns its exit status, -1 where it did not run. What it prints
 * goes to `text`, unless that is NULL. */
static int run_git(const char *folder, struct strbuf *text, const char *const *words) {
    const char *arguments[MOST_WORDS + 4] = { "git", "-C", folder };
    int ends[2], status = -1;
    pid_t child;
    posix_spawn_file_actions_t actions;
    for (int w = 0; w < MOST_WORDS && words[w]; w++) {
        arguments[3 + w] = words[w];
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    char *copies[MOST_WORDS + 4];
    memcpy(copies, arguments, sizeof copies); /* posix_spawnp does not change them */
    const bool runs = posix_spawnp(&child, "git", &actions, NULL, copies, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    char chunk[4096];
    for (ssize_t got; runs && (got = read(ends[0], chunk, sizeof chunk)) > 0;) {
        if (text) {
            strbuf_append_bytes(text, chunk, (size_t)got);
        }
    }
    (void)close(ends[0]);
    const bool ended = runs && waitpid(child, &status, 0) == child && WIFEXITED(status);
    return ended ? WEXITSTATUS(status) : -1;
}
#define GIT(folder, text, ...) run_git(folder, text, (const char *const[]){ __VA_ARGS__, NULL })

static bool is_hash(const char *name) {
    return strlen(name) == 40 && strspn(name, "0123456789abcdef") == 40;
}

enum git_answer git_look_up(struct git_commit *commit, const char *folder, const char *name) {
    struct strbuf shallow = { 0 };
    *commit = (struct git_commit){ .folder = folder };
    if (!is_hash(name)) {
        return GIT_NO_COMMIT;
    }
    const bool is_ours =
        GIT(folder, NULL, "cat-file", "-e", "HEAD:harness/campaign/axes/columns.def") == 0 &&
        GIT(folder, &shallow, "rev-parse", "--is-shallow-repository") == 0;
    const bool is_whole = is_ours && shallow.data && begins_with(shallow.data, "false");
    strbuf_free(&shallow);
    if (is_ours && GIT(folder, NULL, "merge-base", "--is-ancestor", name, "HEAD") == 0) {
        (void)snprintf(commit->name, sizeof commit->name, "%s", name);
        return GIT_RELEASED;
    }
    return is_whole ? GIT_UNKNOWN : GIT_NO_HISTORY;
}

/* The path, among those of the commit, whose last name this is. */
static bool find_path(struct git_commit *commit, const char *file, struct strbuf *path) {
    struct strbuf files = { 0 };
    if (!commit->files) {
        (void)GIT(commit->folder, &files, "ls-tree", "-r", "--name-only", "--full-tree",
                  commit->name);
        commit->files = files.data ? files.data : memory_copy("");
    }
    const size_t length = strlen(file);
    for (const char *at = commit->files ? strstr(commit->files, file) : NULL; at;
         at = strstr(at + 1, file)) {
        if (at > commit->files && at[-1] == '/' && at[length] == '\n') {
            const char *line = at;
            while (line > commit->files && line[-1] != '\n') {
                line--;
            }
            if (!begins_with(line, "tests/")) {
                strbuf_append(path, "%s:%.*s", commit->name, (int)(at + length - line), line);
                return !path->failed;
            }
        }
    }
    return false;
}

const char *git_find_text(struct git_commit *commit, const char *file) {
    struct strbuf path = { 0 }, text = { 0 };
    for (size_t t = 0; t < commit->text_count; t++) {
        if (strcmp(commit->texts[t].file, file) == 0) {
            return commit->texts[t].text;
        }
    }
    struct git_text *texts =
        memory_grown(commit->texts, commit->text_count + 1, sizeof *commit->texts);
    commit->texts = texts;
    if (!commit->name[0]) {
        return NULL;
    }
    if (find_path(commit, file, &path) &&
        GIT(commit->folder, &text, "cat-file", "blob", path.data) != 0) {
        strbuf_free(&text);
    }
    strbuf_free(&path);
    texts[commit->text_count] = (struct git_text){ memory_copy(file), text.data };
    if (texts[commit->text_count].file) {
        commit->text_count++;
    }
    return text.data;
}

void git_free(struct git_commit *commit) {
    for (size_t t = 0; t < commit->text_count; t++) {
        free(commit->texts[t].file);
        free(commit->texts[t].text);
    }
    free(commit->texts);
    free(commit->files);
    *commit = (struct git_commit){ 0 };
}
