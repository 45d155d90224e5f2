/* Runs a fuzz target over the files of a folder, where there is no libFuzzer: replay FOLDER. */
#include "fuzz_input.h"

#include "core/files.h"

#include <dirent.h>
#include <limits.h>

static bool replay(const char *folder, const char *name) {
    char path[PATH_MAX];
    char *data = NULL;
    size_t length = 0;
    struct error error = { 0 };
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!input_read(path, INPUT_KERNEL_BYTES, &data, &length, &error)) {
        (void)fprintf(stderr, "%s\n", error.message);
        return false;
    }
    (void)printf("%s\n", path); /* the last one printed is the one that broke it */
    (void)fflush(stdout);
    (void)LLVMFuzzerTestOneInput((const uint8_t *)data, length);
    free(data);
    return true;
}

int main(int argc, char **argv) {
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    size_t count = 0;
    bool good = folder != NULL;
    for (struct dirent *entry; good && (entry = readdir(folder));) {
        if (entry->d_name[0] != '.') {
            good = replay(argv[1], entry->d_name);
            count++;
        }
    }
    if (folder) {
        (void)closedir(folder);
    }
    if (count == 0) {
        (void)fprintf(stderr, "%s: no input; expected a folder with one at least\n",
                      argc == 2 ? argv[1] : "replay");
    }
    return good && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
