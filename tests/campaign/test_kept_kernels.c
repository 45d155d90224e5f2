/* What a run's folder keeps of kernels: kept, read back, put in the place of built-in texts, and
 * refused where another text has taken a name. */
#include "campaign/rows/run_folder.h"

#include "core/embedded.h"
#include "core/error.h"
#include "core/files.h"

#include "support.h"

static const char words_path[] = "variants/pair.cl";
static const char words_file[] = "shared/variants/pair.cl";

static const struct case_spec *spec_of(struct variant *variant, const char *path, const char *text,
                                       struct case_spec *spec) {
    struct error error;
    *variant = (struct variant){ .name = "mine", .text = (char *)text };
    (void)snprintf(variant->path, sizeof variant->path, "%s", path);
    *spec = (struct case_spec){ .variant = variant };
    assert_true(interaction_parse("lj", &spec->interaction, &error));
    return spec;
}

static const struct kept_kernel *find(const struct kept_kernels *kept, const char *file) {
    for (size_t i = 0; i < kept->count; i++) {
        if (strcmp(kept->items[i].file, file) == 0) {
            return &kept->items[i];
        }
    }
    fail_msg("%s is not kept", file);
    return NULL;
}

static void keep(const char *folder, const char *text) {
    struct kept_kernels kept;
    struct variant variant;
    struct case_spec spec;
    struct error error;
    assert_true(kept_kernels_read(folder, &kept, &error));
    assert_true(kept_kernels_take_shared(&kept, folder, DEVICE_OPENCL_CPU, &error));
    assert_true(kept_kernels_take_case(
        &kept, folder, spec_of(&variant, "a \"folder\",\n/mine.cl", text, &spec), &error));
    assert_true(kept_kernels_write(&kept, folder, &error));
    kept_kernels_free(&kept);
}

TEST_WITH(read_back, open_own_folder, close_own_folder) {
    struct kept_kernels kept;
    struct error error;
    assert_true(kept_kernels_read(*state, &kept, &error));
    assert_int_equal(kept.count, 0);
    keep(*state, "first\n");
    keep(*state, "first\n"); /* again: nothing to say against it */
    assert_true(kept_kernels_read(*state, &kept, &error));
    assert_string_equal(find(&kept, "mine.cl")->text, "first\n");
    assert_string_equal(find(&kept, "mine.cl")->source, "a \"folder\",\n/mine.cl");
    assert_string_equal(find(&kept, words_file)->text, embedded_text(words_path));
    assert_string_equal(find(&kept, "shared/harness/devices/opencl/prelude_opencl.h")->text,
                        embedded_text("harness/devices/opencl/prelude_opencl.h"));
    assert_non_null(find(&kept, "shared/variants/interactions/lj.cl"));
    kept_kernels_free(&kept);
}

TEST_WITH(another_text_is_refused, open_own_folder, close_own_folder) {
    struct kept_kernels kept;
    struct variant variant;
    struct case_spec spec;
    struct error error;
    keep(*state, "first\n");
    assert_true(kept_kernels_read(*state, &kept, &error));
    assert_false(kept_kernels_take_case(
        &kept, *state, spec_of(&variant, "here/mine.cl", "second\n", &spec), &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, "here/mine.cl differs from");
    assert_says(error.message, "/kernels/mine.cl");
    kept_kernels_free(&kept);
}

/* A file of that name that no run listed may be anybody's. */
TEST_WITH(nothing_is_written_over, open_own_folder, close_own_folder) {
    struct kept_kernels kept = { 0 };
    struct variant variant;
    struct case_spec spec;
    struct error error;
    char path[128];
    char *text = NULL;
    (void)snprintf(path, sizeof path, "%s/kernels", (const char *)*state);
    assert_true(fs_make_directories(path, &error));
    (void)snprintf(path, sizeof path, "%s/kernels/mine.cl", (const char *)*state);
    assert_true(fs_write(path, "notes", 5, &error));
    assert_true(kept_kernels_take_case(&kept, *state,
                                       spec_of(&variant, "mine.cl", "first\n", &spec), &error));
    assert_false(kept_kernels_write(&kept, *state, &error));
    assert_int_equal(error.status, STATUS_BAD_INPUT);
    assert_says(error.message, path);
    assert_true(input_read(path, INPUT_KERNEL_BYTES, &text, NULL, &error));
    assert_string_equal(text, "notes");
    free(text);
    kept_kernels_free(&kept);
}

/* The last test: what is replaced stays so in this process. */
TEST_WITH(another_build_goes_on_with_what_is_kept, open_own_folder, close_own_folder) {
    char words[] = "words of another build\n", file[] = "shared/variants/pair.cl";
    char source[] = "variants/pair.cl", gone[] = "variants/gone.cl";
    struct kept_kernel items[] = { { file, source, words, true },
                                   { gone, gone, words, true } }; /* this build has it no more */
    const struct kept_kernels kept = { items, 2 };
    struct kept_kernels taken = { 0 };
    struct error error;
    const char *built_in = embedded_text(words_path);
    kept_kernels_use(&kept);
    assert_string_equal(embedded_text(words_path), words);
    assert_ptr_equal(embedded_original(words_path), built_in);
    assert_null(embedded_text("variants/gone.cl"));
    assert_true(kept_kernels_take_shared(&taken, *state, DEVICE_CUDA, &error));
    assert_string_equal(find(&taken, words_file)->text, words);
    assert_non_null(find(&taken, "shared/harness/devices/cuda/prelude_cuda.h"));
    kept_kernels_free(&taken);
}
