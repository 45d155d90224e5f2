/*
 * NVRTC needs no GPU: what CUDA devices would be given is compiled here. Every built-in variant in
 * every precision, and a text that uses every word of the dialect.
 */
#ifdef PAIRMARK_HAVE_CUDA

#include "core/embedded.h"
#include "core/strings.h"
#include "devices/compiled_code.h"
#include "devices/cuda/cuda_library.h"
#include "kernels/header/read_variant.h"
#include "kernels/potentials/exclusions.h"
#include "kernels/potentials/type_table.h"
#include "kernels/text/kernel_text.h"
#include "kernels/variant.h"

#include <unistd.h>

#endif

#include "support.h" /* last: it brings cmocka.h, whose fail() is not ours */

#ifdef PAIRMARK_HAVE_CUDA

enum { NEWEST_NVRTC = 99, PRECISIONS = 3 };

static const char *const every_word =
    "typedef struct { int first; real x; } thing;\n"
    "DEVICE real helper(GLOBAL const real4 *RESTRICT p, LOCAL_ARG real4 *tile, int i) {\n"
    "    real4 a = p[i];\n"
    "    return FMA(a.x, a.y, a.z) + tile[0].w;\n"
    "}\n"
    "KERNEL void words(GLOBAL const real4 *RESTRICT p, GLOBAL accum *RESTRICT out,\n"
    "                  GLOBAL int *RESTRICT counter, GLOBAL long64 *RESTRICT total,\n"
    "                  GLOBAL int4 *RESTRICT q, real4 edge, int n) {\n"
    "    LOCAL real4 tile[64];\n"
    "    LOCAL int slot;\n"
    "    thing t;\n"
    "    real2 w;\n"
    "    accum4 a;\n"
    "    uint u = (uint)GROUP_ID + (uint)NUM_GROUPS;\n"
    "    const int i = GLOBAL_ID;\n"
    "    t.first = 1;\n"
    "    t.x = REAL(0.5);\n"
    "    tile[LOCAL_ID & 63] = p[i < n ? i : 0];\n"
    "    if (LOCAL_ID == 0) { slot = ATOMIC_ADD_INT(counter, 1) + ATOMIC_EXCHANGE(counter + 1, 2); "
    "}\n"
    "    SYNC_THREADS;\n"
    "    SYNC_WARPS;\n"
    "    w.x = helper(p, tile, i) * t.x + edge.w;\n"
    "    w.y = RECIP(w.x) + RSQRT(w.x) + SQRT(w.x) + EXP(-w.x) + EXP2(w.x) + ERFC(w.x) + "
    "RINT(w.x);\n"
    "    w.y += FLOOR(w.x) + FABS(w.x) + MIN_REAL(w.x, REAL(1.0)) + MAX_REAL(w.x, REAL(2.0));\n"
    "    w.y += COPYSIGN(w.x, REAL(-1.0));\n"
    "#if HAVE_SHUFFLE\n"
    "    w.y += SHUFFLE(w.x, (LOCAL_ID + 1) % WARP_SIZE);\n"
    "#endif\n"
    "#if HAVE_BALLOT\n"
    "    u += BALLOT(w.y > w.x) + (uint)BIT_COUNT(u);\n"
    "#endif\n"
    "    a = make_accum4(ACCUM(0.0), ACCUM(1.0), (accum)w.y, ACCUM(0.5));\n"
    "    tile[LOCAL_ID & 63] = make_real4(w.x, w.y, w.x, w.y);\n"
    "    q[i] = make_int4(t.first, slot, GLOBAL_SIZE, LOCAL_SIZE);\n"
    "    ATOMIC_ADD(&out[i % 7], a.x + a.z + (accum)tile[LOCAL_ID & 63].x);\n"
    "    ATOMIC_ADD_LONG(total, (long64)u);\n"
    "}\n";

/* Options, and what must be in the code that comes out (NULL: anything). */
struct compilation {
    const char *name;
    const char *text;
    const char *must_have;
    bool to_machine_code; /* by the assembler, too, which takes as long again */
    bool quickly;         /* with few optimisations, in a third of the time */
};

/* What NVRTC of CUDA 13 is asked for with `quickly`; older ones are not asked. */
static const char *quickly = "-w";

/* keeps: the variable that keeps its value; NULL: there is none. */
static void compile_keeping(const struct nvrtc_library *nvrtc, const struct compilation *what,
                            const char *keeps) {
    const char *const options[] = { what->to_machine_code ? "-arch=sm_90" : "-arch=compute_90",
                                    "-fmad=true", "-default-device",
                                    what->quickly ? quickly : "-w" };
    nvrtcProgram program = NULL;
    size_t size = 0;
    assert_int_equal(nvrtc->nvrtcCreateProgram(&program, what->text, what->name, 0, NULL, NULL),
                     NVRTC_SUCCESS);
    const nvrtcResult result =
        nvrtc->nvrtcCompileProgram(program, (int)(sizeof options / sizeof options[0]), options);
    if (result != NVRTC_SUCCESS) {
        assert_int_equal(nvrtc->nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
        char *log = calloc(1, size + 1);
        assert_non_null(log);
        assert_int_equal(nvrtc->nvrtcGetProgramLog(program, log), NVRTC_SUCCESS);
        print_error("%s: %s\n", what->name, log);
        free(log);
    }
    assert_int_equal(result, NVRTC_SUCCESS);
    assert_int_equal(nvrtc->nvrtcGetPTXSize(program, &size), NVRTC_SUCCESS);
    char *ptx = malloc(size);
    assert_non_null(ptx);
    assert_int_equal(nvrtc->nvrtcGetPTX(program, ptx), NVRTC_SUCCESS);
    if (what->must_have) {
        assert_says(ptx, what->must_have);
    }
    char variable[64] = "";
    const bool found = cuda_state_find(ptx, variable, sizeof variable);
    if (found && !keeps) {
        print_error("%s: %s\n", what->name, variable);
    }
    assert_int_equal(found, keeps != NULL);
    if (keeps) {
        assert_says(variable, keeps);
    }
    free(ptx);
    assert_int_equal(nvrtc->nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}

static void compile(const struct nvrtc_library *nvrtc, const struct compilation *what) {
    compile_keeping(nvrtc, what, NULL);
}

static const char kept_variable[] = "__device__ float kept[4];\n"
                                    "extern \"C\" __global__ void f(float *out) {\n"
                                    "    kept[threadIdx.x & 3] += 1; *out = kept[0];\n"
                                    "}\n";
static const char kept_static[] = "#define HIDDEN static int\n"
                                  "extern \"C\" __global__ void f(int *out) {\n"
                                  "    HIDDEN count; *out = atomicAdd(&count, 1);\n"
                                  "}\n";
static const char kept_in_disguise[] = "__device__ int __nv_kept;\n"
                                       "extern \"C\" __global__ void f(int *out) {\n"
                                       "    *out = __nv_kept++;\n"
                                       "}\n";
/* Its name is in no word of the source. */
static const char kept_in_pasted_disguise[] = "#define PASTED(a, b) a##b\n"
                                              "__device__ float PASTED(__n, v_kept)[4096];\n"
                                              "extern \"C\" __global__ void f(float *out) {\n"
                                              "    *out = PASTED(__n, v_kept)[threadIdx.x]++;\n"
                                              "}\n";
static const char kept_on_the_heap[] = "extern \"C\" __global__ void f(int n, float *out) {\n"
                                       "    float *kept = (float *)malloc(4096);\n"
                                       "    *out = kept[n]; kept[n] = 1; free(kept);\n"
                                       "}\n";
static const char kept_in_assembly[] =
    "extern \"C\" __global__ void f(float *out) {\n"
    "    float x;\n"
    "    asm volatile(\".global/**/ .b32 other[4], kept[64];\");\n"
    "    asm volatile(\"ld.global.f32 %0, [kept];\" : \"=f\"(x));\n"
    "    asm volatile(\"st.global.f32 [kept], %0;\" :: \"f\"(x + 1));\n"
    "    *out = x;\n"
    "}\n";
static const char kept_nowhere[] =
    "__constant__ float table[4];\n"
    "extern \"C\" __global__ void f(double *out) {\n"
    "    __shared__ float tile[4]; tile[0] = table[threadIdx.x & 3];\n"
    "    *out = sin(1e9 * tile[0]) + erfc((double)tile[0]);\n"
    "}\n";

TEST(what_keeps_its_value) {
    compile_keeping(*state, &(struct compilation){ .name = "kept", .text = kept_variable }, "kept");
    compile_keeping(*state, &(struct compilation){ .name = "static", .text = kept_static },
                    "count");
    compile_keeping(*state, &(struct compilation){ .name = "disguise", .text = kept_in_disguise },
                    "kept");
    compile_keeping(
        *state, &(struct compilation){ .name = "pasted", .text = kept_in_pasted_disguise }, "kept");
    compile_keeping(*state, &(struct compilation){ .name = "heap", .text = kept_on_the_heap },
                    CUDA_STATE_HEAP);
    compile_keeping(*state, &(struct compilation){ .name = "assembly", .text = kept_in_assembly },
                    "kept");
    compile(*state, &(struct compilation){ .name = "nowhere", .text = kept_nowhere });
}

/* PTX as the assembler takes it, each way tried with ptxas of CUDA 13.0; NULL: nothing is kept. */
TEST(state_in_ptx) {
    static const struct {
        const char *ptx, *found;
    } texts[] = {
        { ".global .b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".global.b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".visible.global.b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".weak/*x*/.global .b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { "here:.global .b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".global //x\n .b8 kept [ 16 ]; ld.global.u32 %r1, [kept];", "kept" },
        { ".global .b32 one, kept/**/, other; ld.global.u32 %r1, [kept];", "kept" },
        { ".global .b32 one[2] = {1, 2}, kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".global .attribute(.managed) .b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".pragma \"a\\\"; .global .b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".pragma \"a\nb\"; .global .b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".pragma \"/*\"; .global .b32 kept; ld.global.u32 %r1, [kept]; .pragma \"*/\";", "kept" },
        { ".global .b8 $str[2048] = {97}; mov.u64 %rd1, $str;", "$str" },
        { ".global .b8 __nv_a[16]; mov.u64 %rd1, __nv_a;", "__nv_a" },
        { ".global .b8 __nv_a[800] = {1}; mov.u64 %rd1, __nv_a;"
          ".global .b8 __nv_b[800] = {1}; mov.u64 %rd1, __nv_b;",
          "__nv_b" },
        { ".global .b8 my__nv_a[16] = {1}; mov.u64 %rd1, my__nv_a;", "my__nv_a" },
        { ".extern .func (.param .b64 x) malloc (.param .b64 y);", "malloc" },
        { ".global .b8 $str[6] = {97}; mov.u64 %rd1, $str; st.volatile.global.u32 [%rd2], %r1;",
          NULL },
        { ".global .b32 unused; // unused\n ret;", NULL },
        { ".entry f(.param .u64 .ptr .global .align 16 f_param_0) { ld.param.u64 %rd1, "
          "[f_param_0]; }",
          NULL },
        { "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 4, "
          "[%r2];"
          " // complete_tx\n bytes_of:ret; bra bytes_of;",
          NULL },
        { "ld:.global .b32 kept; ld.global.u32 %r1, [kept];", "kept" },
        { ".file 1 \"/a/x.global y;\"\n.const .b32 y; ld.const.u32 %r1, [y];", NULL },
    };
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        char name[64];
        const bool found = cuda_state_find(texts[t].ptx, name, sizeof name);
        if (found != (texts[t].found != NULL)) {
            print_error("%s\n", texts[t].ptx);
        }
        assert_int_equal(found, texts[t].found != NULL);
        if (found) {
            assert_string_equal(name, texts[t].found);
        }
    }
}

/* As device.c puts it: definitions, prelude, source. */
static void begin_text(struct strbuf *text, int precision, int group_size) {
    const char *prelude = embedded_text("harness/devices/cuda/prelude_cuda.h");
    assert_non_null(prelude);
    strbuf_append(text, "#define REAL_IS_DOUBLE %d\n#define ACCUM_IS_DOUBLE %d\n", precision == 2,
                  precision > 0);
    strbuf_append(text, "#define HAVE_FP64 1\n#define HAVE_ATOMICS64 1\n#define DEVICE_IS_CPU 0\n");
    if (group_size > 0) {
        strbuf_append(text, "#define GROUP_SIZE %d\n", group_size);
    }
    strbuf_append(text, "%s\n#line 1 \"source\"\n", prelude);
}

TEST(words) {
    for (int precision = 0; precision < PRECISIONS; precision++) {
        for (int fixed = 0; fixed < 2; fixed++) {
            struct strbuf text = { 0 };
            begin_text(&text, precision, fixed ? 64 : 0);
            strbuf_append(&text, "%s", every_word);
            assert_false(text.failed);
            compile(*state, &(struct compilation){ .name = "words",
                                                   .text = text.data,
                                                   .must_have = fixed ? ".maxntid 64" : NULL });
            strbuf_free(&text);
        }
    }
}

/* What stands between timed launches; what stands behind time steps comes with their variants. */
TEST(tools) {
    for (int precision = 0; precision < PRECISIONS; precision++) {
        struct strbuf text = { 0 };
        begin_text(&text, precision, 128);
        strbuf_append(&text, "%s\n%s\n%s", embedded_text("variants/random.cl"),
                      embedded_text("harness/workloads/member_order.cl"),
                      embedded_text("harness/kernels/text/launch_tools.cl"));
        assert_false(text.failed);
        compile(*state, &(struct compilation){ .name = "launch_tools",
                                               .text = text.data,
                                               .must_have = "copy_results" });
        strbuf_free(&text);
    }
}

/* What judges lists, where entries say their image and where their distances do. */
TEST(list_tools) {
    enum { IN_DOUBLE = PRECISIONS - 1 };
    for (int form = 0; form < 3; form++) {
        for (int shifts = 0; shifts < 2; shifts++) {
            struct strbuf text = { 0 };
            begin_text(&text, IN_DOUBLE, 128);
            strbuf_append(&text,
                          "#define POSITION float\n#define RESULT float\n"
                          "#define LIST_FORM %d\n#define LIST_HALF %d\n#define WITH_SHIFTS %d\n"
                          "#define WITH_VECTORS 0\n#define WITH_DISTANCES 1\n%s\n%s",
                          form, shifts, shifts, embedded_text("harness/workloads/member_order.cl"),
                          embedded_text("harness/workloads/neighbours/neighbour_tools.cl"));
            assert_false(text.failed);
            compile(*state, &(struct compilation){ .name = "neighbour_tools",
                                                   .text = text.data,
                                                   .must_have = "judge_edges" });
            strbuf_free(&text);
        }
    }
}

/* A real4 is loaded by 128-bit accesses, and RECIP is one instruction in float. */
TEST(instructions) {
    static const char *const source =
        "KERNEL void one(GLOBAL const real4 *RESTRICT in, GLOBAL real *RESTRICT out) {\n"
        "    real4 a = in[GLOBAL_ID];\n"
        "    out[GLOBAL_ID] = RECIP(a.x + a.y + a.z + a.w);\n"
        "}\n";
    static const char *const loads[PRECISIONS] = { ".v4.f32", ".v4.f32", ".v2.f64" };
    static const char *const reciprocals[PRECISIONS] = { "rcp.approx.ftz.f32", "rcp.approx.ftz.f32",
                                                         "rcp.approx.ftz.f64" };
    for (int precision = 0; precision < PRECISIONS; precision++) {
        struct strbuf text = { 0 };
        begin_text(&text, precision, 0);
        strbuf_append(&text, "%s", source);
        assert_false(text.failed);
        compile(*state, &(struct compilation){
                            .name = "one", .text = text.data, .must_have = loads[precision] });
        compile(*state, &(struct compilation){ .name = "one",
                                               .text = text.data,
                                               .must_have = reciprocals[precision] });
        strbuf_free(&text);
    }
}

/* As for users where it goes to machine code with one function, which is each variant once. */
static void compile_one(const struct nvrtc_library *nvrtc, const struct case_spec *spec,
                        enum build_kind build, bool periodic, int precision) {
    struct strbuf text = { 0 };
    begin_text(&text, precision, tunings_value(&spec->tunings, "GROUP_SIZE", 128));
    kernel_text_append(spec, build, periodic, true, periodic, &text);
    assert_false(text.failed);
    const bool to_machine_code =
        !spec->variant->forces.variant && build == BUILD_PLAIN && spec->outputs == OUTPUTS_VIRIAL;
    const bool several = spec->interaction.function_count > 1;
    compile(nvrtc, &(struct compilation){ .name = spec->variant->name,
                                          .text = text.data,
                                          .must_have = ".entry",
                                          .to_machine_code = to_machine_code,
                                          .quickly = !to_machine_code || several });
    strbuf_free(&text);
}

static void compile_variant(const struct nvrtc_library *nvrtc, const struct case_spec *spec,
                            enum build_kind build, bool periodic) {
    for (int precision = 0; precision < PRECISIONS; precision++) {
        compile_one(nvrtc, spec, build, periodic, precision);
    }
}

static struct case_spec spec_of(const struct variant *variant) {
    struct error error;
    struct case_spec spec = { .variant = variant };
    const struct workload *workload = variant->workload;
    const bool needs_r0 = strcmp(workload->default_interaction, "rational") == 0;
    const char *own = needs_r0 ? "rational:r0=1" : workload->default_interaction;
    assert_true(!workload_lists_axis(workload, "--interaction") ||
                interaction_parse(own, &spec.interaction, &error));
    tunings_preset(variant, &spec.tunings);
    return spec;
}

TEST(variants) {
    struct error error;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, &error);
    assert_non_null(variants);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        if (variants[i].language == LANGUAGE_CUDA) {
            continue; /* these need the toolkit's headers: test_cuda_kernels.sh */
        }
        /* each precision once; what computes forces within steps has had its own turn */
        struct case_spec spec = spec_of(&variants[i]);
        spec.outputs = OUTPUTS_VIRIAL;
        compile_one(*state, &spec, BUILD_PLAIN, i % 2, (int)((i + 2) % PRECISIONS));
        if (!variants[i].forces.variant) {
            spec.outputs = OUTPUTS_FORCES;
            compile_one(*state, &spec, BUILD_PLAIN, true, (int)(i % PRECISIONS));
            compile_one(*state, &spec, BUILD_COUNTING, false, (int)((i + 1) % PRECISIONS));
        }
    }
}

/* What builds structures, as builder_compile() puts it together: long texts, optimised as for users
 * in one precision in turn. */
TEST(structures) {
    static const char *const texts[][6] = {
        { "variants/structures/cells.cl", "variants/structures/sorted_cells.cl" },
        { "variants/structures/cells.cl", "variants/structures/few_cells.cl" },
        { "variants/structures/cells.cl", "variants/structures/cell_table.cl" },
        { "variants/structures/cells.cl", "variants/structures/linked_cells.cl" },
        { "variants/screen.cl", "variants/structures/sorted_places.cl" },
        { "variants/structures/cells.cl", "variants/structures/pair_list.cl" },
        { "variants/structures/cells.cl", "variants/structures/skin.cl" },
        { "variants/structures/cells.cl", "variants/structures/list_entries.cl",
          "variants/structures/list_columns.cl" },
        { "variants/structures/cells.cl", "variants/structures/curve.cl",
          "variants/structures/list_entries.cl", "variants/structures/group_lists.cl",
          "variants/structures/box_tree.cl", "variants/structures/list_clusters.cl" },
        { "variants/structures/cells.cl", "variants/structures/curve.cl",
          "variants/structures/place_order.cl" },
        { "variants/structures/cells.cl", "variants/structures/list_entries.cl",
          "variants/structures/group_lists.cl", "variants/structures/blocks_32.cl" },
        { "variants/structures/cells.cl", "variants/structures/list_entries.cl",
          "variants/structures/group_lists.cl", "variants/structures/box_tree.cl",
          "variants/structures/clusters_outer.cl" },
        { "variants/structures/cells.cl", "variants/structures/list_entries.cl",
          "variants/structures/group_lists.cl", "variants/structures/clusters_8x8.cl" },
        { "variants/structures/cells.cl", "variants/structures/list_entries.cl",
          "variants/structures/list_blocks.cl" },
        { "variants/structures/cells.cl", "variants/structures/list_entries.cl",
          "variants/structures/list_bits.cl" },
        { "variants/structures/list_blocks_plain.cl", "variants/structures/cells.cl",
          "variants/structures/list_entries.cl", "variants/structures/list_blocks.cl" },
    };
    for (size_t s = 0; s < sizeof texts / sizeof texts[0]; s++) {
        for (int precision = 0; precision < PRECISIONS; precision++) {
            struct strbuf text = { 0 };
            begin_text(&text, precision, 128);
            const bool triclinic = precision > 0;
            strbuf_append(&text, "#define PERIODIC %d\n#define WITH_CUTOFF 1\n",
                          triclinic || s % 2 == 0);
            strbuf_append(&text, "#define TRICLINIC %d\n%s\n", triclinic,
                          embedded_text("variants/box.cl"));
            strbuf_append(&text, "#define PARTICLES %d\n#define ORDER %d\n#define SIDES %d\n",
                          precision + 1, precision + 2, precision % 2 + 1);
            strbuf_append(&text, "#define PARTNERS %d\n#define PARTS %d\n", precision % 2 ? 4 : 8,
                          precision + 1);
            strbuf_append(&text,
                          "#define STAGED 512\n#define SUB_BLOCK 8\n#define BALANCED 1\n"
                          "#define SPREAD %d\n#define ROW_WIDTH 504\n",
                          precision % 2);
            strbuf_append(&text, "#define BUILD_GROUPS %d\n", precision % 2 + 5);
            for (int t = 0; t < 6 && texts[s][t]; t++) {
                assert_non_null(embedded_text(texts[s][t]));
                strbuf_append(&text, "%s\n", embedded_text(texts[s][t]));
            }
            assert_false(text.failed);
            compile(*state, &(struct compilation){ .name = texts[s][1],
                                                   .text = text.data,
                                                   .must_have = ".entry",
                                                   .to_machine_code = precision == 2,
                                                   .quickly = precision != (int)(s % 3) });
            strbuf_free(&text);
        }
    }
}

static void set_group_size(struct tunings *tunings, int size) {
    for (int t = 0; t < tunings->count; t++) {
        if (strcmp(tunings->items[t].name, "GROUP_SIZE") == 0) {
            tunings->items[t].value = size;
        }
    }
}

/* Sums by shuffles and by atomic additions, in work-groups smaller than a warp, too. */
TEST(reductions) {
    static const int group_sizes[] = { 16, 128 };
    static const enum reduction reductions[] = { REDUCTION_WARP, REDUCTION_ATOMIC };
    struct error error;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, &error);
    assert_non_null(variants);
    for (int r = 0; r < 2; r++) {
        for (int g = 0; g < 2; g++) {
            struct case_spec spec = spec_of(&variants[0]);
            spec.outputs = g ? OUTPUTS_VIRIAL : OUTPUTS_ENERGY;
            spec.reduction = reductions[r];
            set_group_size(&spec.tunings, group_sizes[g]);
            compile_variant(*state, &spec, BUILD_PLAIN, true);
        }
    }
}

/* A list, so that kernels look for exclusions. */
static struct exclusions *exclusions_of_a_pair(void) {
    char path[] = "/tmp/pairmark_nvrtc_XXXXXX";
    struct error error;
    struct exclusions *listed = NULL;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "1 2\n", 4), 4);
    assert_int_equal(close(file), 0);
    const bool read = exclusions_read(path, &listed, &error);
    assert_int_equal(unlink(path), 0);
    assert_true(read);
    return listed;
}

/* All pair functions in one program, with types and with exclusions of either kind. */
TEST(interactions) {
    static const char words[] =
        "lj+buckingham+born-mayer-huggins+ewald-real:lj.cutoff=2,ewald-real.cutoff=1.5";
    struct error error;
    struct exclusions *molecules = NULL;
    struct exclusions *listed = exclusions_of_a_pair();
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, &error);
    assert_non_null(variants);
    assert_true(exclusions_read("molecule", &molecules, &error));
    for (size_t i = 0; i < count; i++) {
        struct case_spec spec = { .variant = &variants[i], .outputs = OUTPUTS_VIRIAL };
        if (!workload_lists_axis(variants[i].workload, "--interaction-file") ||
            variants[i].language == LANGUAGE_CUDA) {
            continue; /* takes a single function; or the toolkit's headers, see test_cuda_kernels */
        }
        assert_true(interaction_parse(words, &spec.interaction, &error));
        tunings_preset(&variants[i], &spec.tunings);
        compile_one(*state, &spec, BUILD_PLAIN, true, (int)((i + 1) % PRECISIONS));
        assert_true(interaction_parse("lj+ewald-real:epsilon.A=2", &spec.interaction, &error));
        spec.interaction.exclusions = i % 2 ? molecules : listed;
        compile_one(*state, &spec, BUILD_PLAIN, true, (int)(i % PRECISIONS));
    }
    exclusions_free(molecules);
    exclusions_free(listed);
}

/* The table of types is read by the instructions of the memory that it lies in: of the first
 * variant in each, of the others in one in turn. */
TEST(type_tables) {
    static const char *const loads[] = { "ld.global.nc.v2.f32", "ld.const.f32",
                                         "ld.shared.v2.f32" };
    struct error error;
    size_t count = 0;
    const struct variant *variants = variants_embedded(&count, &error);
    assert_non_null(variants);
    for (size_t i = 0; i < count; i++) {
        for (int place = TYPE_TABLE_GLOBAL; place <= TYPE_TABLE_LOCAL; place++) {
            struct case_spec spec = { .variant = &variants[i], .outputs = OUTPUTS_FORCES };
            struct strbuf text = { 0 };
            if (strcmp(spec.variant->workload->name, "forces") != 0 ||
                spec.variant->language == LANGUAGE_CUDA || (i > 0 && (int)(i % 3) != place)) {
                continue;
            }
            assert_true(interaction_parse("lj:epsilon.A=2", &spec.interaction, &error));
            case_preset_tunings(&spec);
            assert_string_equal(spec.tunings.items[spec.tunings.count - 1].name, "TYPE_TABLE");
            spec.tunings.items[spec.tunings.count - 1].value = place;
            begin_text(&text, 0, tunings_value(&spec.tunings, "GROUP_SIZE", 128));
            kernel_text_append(&spec, BUILD_PLAIN, true, true, true, &text);
            assert_false(text.failed);
            compile(*state, &(struct compilation){ .name = spec.variant->name,
                                                   .text = text.data,
                                                   .must_have = loads[place] });
            strbuf_free(&text);
        }
    }
}

static bool takes(const struct nvrtc_library *nvrtc, const char *option) {
    nvrtcProgram program = NULL;
    assert_int_equal(nvrtc->nvrtcCreateProgram(&program, "", "takes", 0, NULL, NULL),
                     NVRTC_SUCCESS);
    const bool taken = nvrtc->nvrtcCompileProgram(program, 1, &option) == NVRTC_SUCCESS;
    assert_int_equal(nvrtc->nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    return taken;
}

static int open_nvrtc(void **state) {
    static struct nvrtc_library nvrtc;
    struct error error;
    if (!nvrtc_library_open(NEWEST_NVRTC, &nvrtc, &error)) {
        print_error("%s\n", error.message);
        return -1;
    }
    if (takes(&nvrtc, "-Ofc=max")) {
        quickly = "-Ofc=max";
    }
    *state = &nvrtc;
    return 0;
}

static int close_nvrtc(void **state) {
    nvrtc_library_close(*state);
    return 0;
}

TEST_GROUP(open_nvrtc, close_nvrtc)

#else

TEST(absent) {
    skip_because("built without the CUDA toolkit");
}

#endif
