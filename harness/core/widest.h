/*
 * widest — functions compiled for several processors.
 *
 * WIDEST before a function: the widest vectors that the machine has, chosen when the program
 * starts. Under the address sanitizer, which is not ready by then, the plainest; so by clang, which
 * hands no vector to a function of another target.
 */
#ifndef PAIRMARK_CORE_WIDEST_H
#define PAIRMARK_CORE_WIDEST_H

#if defined __x86_64__ && defined __linux__ && defined __GNUC__ && !defined __clang__ &&           \
    !defined __SANITIZE_ADDRESS__
#define WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDEST
#endif

#endif
