/*
 * kept_blocks — keeps PoCL 5.0 to 6.x from compiling kernels wrongly.
 *
 * While PoCL turns a kernel into loops over work-items, it notes for each instruction whether all
 * work-items of a group compute the same value ("uniform"). Since 5.0 these notes outlive the
 * passes after them, and they are found by the instruction's address (in
 * VariableUniformityAnalysis.cc the analysis is never invalidated). An instruction that a later
 * pass creates where a freed one lay inherits its note. Where that says "uniform" wrongly, the
 * value is not saved per work-item across a barrier, and the kernel computes nonsense. Which
 * kernels are hit depends on the layout of the heap alone. PoCL 7.0 no longer runs the pass that
 * creates these instructions.
 *
 * So no block that LLVM frees is used again while PoCL compiles: programs are linked with
 * kept_blocks.cc, whose operator delete keeps freed blocks until they are released.
 * libpairmark leaves the operators of other programs alone: they preload libpairmark_pocl.so, the
 * same file as a library, or do without.
 */
#ifndef PAIRMARK_DEVICES_KEPT_BLOCKS_H
#define PAIRMARK_DEVICES_KEPT_BLOCKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Weak: NULL in a program that has them neither linked nor preloaded. */
#define PAIRMARK_OPTIONAL __attribute__((weak, visibility("default")))

/* From now on freed C++ blocks are kept. */
PAIRMARK_OPTIONAL void pairmark_keep_blocks(void);

/* Frees what was kept. Not while a kernel may be compiled: PoCL compiles in clBuildProgram() and,
 * in threads of its own, between a launch and the end of clFinish(). */
PAIRMARK_OPTIONAL void pairmark_release_blocks(void);

#ifdef __cplusplus
}
#endif

#endif
