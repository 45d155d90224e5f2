# time.gp — time of one evaluation against N; bars from the 5th to the 95th percentile.
value = 4
low = 5
high = 6
ylabel = 'time of one evaluation'
yformat = '%.0s %cs'
load share.'/curves.gp'
