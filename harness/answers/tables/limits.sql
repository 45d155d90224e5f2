/*
 * limit_s: the least time that the device's peaks allow for what a row computed: the operations of
 * each pair within the cutoff, once, or, beyond the last cache, reading positions and writing
 * forces once (harness/measure/judge/rate.c). Of forces alone. Rows that count their operations say
 * it by percent_of_peak; of older ones percent_of_peak is another.
 */
CREATE VIEW limits AS SELECT r.run, r.line, r.case_id, r.device, r.repetition,
    max(iif(counted_percent_of_peak IS NOT NULL, 0.01 * percent_of_peak * force_s_median,
        pairs_in_cutoff * pair_operations(interaction) /
          iif(precision = 'double', fp64_operations_per_s, fp32_operations_per_s)),
      coalesce((n * iif(precision = 'double', 48, 24) - 2 * l2_bytes) / copy_bytes_per_s, 0))
      AS limit_s
  FROM rows AS r JOIN devices AS d ON d.run = r.run AND d.device = r.device
  WHERE workload = 'forces' AND status = 'ok';
