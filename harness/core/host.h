/*
 * host — the machine and this process on it: clock, memory, processors, random bits and the
 * terminal.
 */
#ifndef PAIRMARK_CORE_HOST_H
#define PAIRMARK_CORE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- the clock ---- */

/* Seconds since some moment before the process began; nothing sets it back. */
double clock_s(void);

/* ---- memory ---- */

/* How much this process may still have. Bounds that hold together: what the machine has, what the
 * control groups of the process allow (v2 and v1), and the process's own limit of address space
 * (ulimit -v). */

/* Bytes that this process could have if nobody else took any: no request beyond it can ever be met
 * here. UINT64_MAX where it is not known. */
uint64_t memory_most(void);

/* Bytes that it could have now. UINT64_MAX likewise. */
uint64_t memory_available(void);

/* How many processes the system has killed for want of memory, in this process's own control group
 * where that has a count, else in the whole system; -1 where neither can be read. Two readings
 * around the end of a process show whether one that died of SIGKILL died of that. */
int64_t memory_kills(void);
/* The number after the word oom_kill that begins a line of the file; -1 where there is none. */
int64_t memory_kills_in(const char *path);

/* "26.6 GB", three digits, decimal units. */
void memory_words(double bytes, char *text, size_t size);

/* ---- processors ---- */

/* Those that this process may use, dealt out among what runs at the same time.
 *
 * A share is a block of whole cores: threads of one core are neighbours in a share and shares of
 * one socket are neighbours in their order, as far as /sys/devices/system/cpu knows. Where it
 * does not, processors count as cores, in the order of their numbers. */

/* From now on this thread, the threads that it starts and the processes that it forks use share
 * `share` (0, 1, ...) of `shares`, and no other processors. Returns how many these are; 0 where
 * there are fewer than `shares` to deal out, or the system refuses: then nothing has changed. */
int processors_take_share(size_t share, size_t shares);

/* ---- vectors ---- */

/* Functions compiled for several processors.
 *
 * WIDEST before a function: the widest vectors that the machine has, chosen when the program
 * starts. Under the sanitizers of addresses and threads, which are not ready by then, the plainest;
 * so by clang, which hands no vector to a function of another target. */

#if defined __x86_64__ && defined __linux__ && defined __GNUC__ && !defined __clang__ &&           \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDEST
#endif

/* ---- random bits ---- */

/* 64 bits from the system's generator; from its clock where that refuses. */
uint64_t draw_seed(void);

/* ---- other programs ---- */

struct strbuf;

/* Runs words[0], found in PATH, in a folder, with nothing to read. What it prints (`with_errors`:
 * also on its standard error) is appended to `text`; NULL: goes nowhere. Returns its exit status;
 * -1 where it did not exit (errno is 0) or could not be run. */
int program_run(const char *folder, const char *const *words, bool with_errors,
                struct strbuf *text);

/* ---- the terminal ---- */

enum { TERMINAL_DEFAULT_COLUMNS = 80 };

/* The characters in a line: the environment's COLUMNS, or the width of the terminal that the stream
 * is, else TERMINAL_DEFAULT_COLUMNS. 40 at least. */
int terminal_columns(FILE *stream);

/* Whether a line on the stream can be rewritten: it is a terminal, and TERM is not "dumb". */
bool terminal_rewrites(FILE *stream);

/* Shows a line that the next one rewrites, as much of it as fits, and takes it away. Nothing where
 * lines cannot be rewritten. */
void terminal_show_line(FILE *stream, const char *text);
void terminal_clear_line(FILE *stream);

/* A stream to the same terminal that wraps lines between words, where they are longer than the
 * terminal is wide; the stream itself where it is no terminal. For stdout and stderr: it is never
 * closed. */
FILE *terminal_wrapped(FILE *stream);
/* Leaves the lines of a stream as they are from now on: programs read them. */
void terminal_leave_lines(FILE *stream);

#endif
