/* terminal.h - how wide a line may be. */
#ifndef WT_LIB_TERMINAL_H
#define WT_LIB_TERMINAL_H

#include <stdio.h>

/* The columns of what 'out' writes to: the environment's COLUMNS (20 to 1000) if it is set, as ls(1) and git take it; else
 * those of the terminal; 0 when 'out' is no terminal: then nothing is to be cut or wrapped. */
unsigned int wt_terminal_columns(FILE *out);

#endif
