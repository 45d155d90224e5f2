/*
 * list_blocks_plain — in front of list_blocks: nobody has a type, nobody is excluded
 */
#define PLAIN 1
