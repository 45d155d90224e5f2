# pairs.gp — what the workload counts, as interacting pairs (unordered, within the cutoff), per second against N; bars as in time.gp. `counted`
# names it.
value = 8
low = 9
high = 10
ylabel = counted.' per second'
yformat = '10^{%L}'
if (log10(ymax / ymin) < 2.5) { yformat = '%.0s %c' }
load share.'/curves.gp'
