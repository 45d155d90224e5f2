# energy.gp — energy per interacting pair, or whatever `counted_one` names, against N.
value = 13
low = 13
high = 13
ylabel = 'nanojoules per '.counted_one
yformat = '10^{%L}'
if (log10(ymax / ymin) < 2.5) { yformat = '%g' }
load share.'/curves.gp'
