# energy.gp — energy of an interacting pair against N.
value = 13
low = 13
high = 13
ylabel = 'nanojoules an interacting pair'
yformat = '10^{%L}'
if (log10(ymax / ymin) < 2.5) { yformat = '%g' }
load share.'/curves.gp'
