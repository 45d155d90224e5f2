/* The article's claim: at about 1400 particles and 6 angstrom, cell_pairs_two_pass takes about 2 times as long as
   all_pairs_half with one pair of cells per group, and about as long with 8 or 16. Both at their fastest tunables, cells built
   beforehand, forces alone.
   pairmark query share/queries/article-cells.sql DIR */
WITH timed AS (
    SELECT run, n, variant, tunables, median(force_s_median) AS s,
      json_array(device, host, workload, box_hash, precision, cutoff, interaction) AS setting,
      CAST(substr(tunables, instr(tunables, 'PAIRS_PER_GROUP=') + length('PAIRS_PER_GROUP=')) AS INTEGER) AS pairs
    FROM rows WHERE twin IS NOT 1 AND outputs = 'forces' AND variant IN ('all_pairs_half', 'cell_pairs_two_pass')
    GROUP BY run, device, case_id HAVING min(status IS 'ok')),
  cells AS (SELECT *, min(s) FROM timed WHERE variant = 'cell_pairs_two_pass' GROUP BY run, setting, pairs),
  whole AS (SELECT *, min(s) FROM timed WHERE variant = 'all_pairs_half' GROUP BY run, setting)
SELECT cells.pairs AS pairs_per_group, cells.n, cells.s / whole.s AS ratio, cells.s AS cells_s, whole.s AS all_pairs_s,
  cells.tunables, whole.tunables AS all_pairs_tunables
FROM cells JOIN whole USING (run, setting)
ORDER BY cells.n, pairs_per_group;
