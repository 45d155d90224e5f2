# balance.gp — time of one evaluation against the ratio of two groups' sizes; bars as in time.gp.
value = 4
low = 5
high = 6
xlabel = 'particles of A to particles of B'
ylabel = 'time of one evaluation'
yformat = '%.0s %cs'
load share.'/curves.gp'
