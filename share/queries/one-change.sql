/* What one thing costs: each two cases of a run that have the same variant, box, cutoff, precision and device, and differ in
   one tunable, in the outputs or in the interaction alone. A tunable that only one of the two has (TYPE_TABLE, where the other
   has its constants compiled in) is no difference. `ratio` is the median time with `becomes` over that with `was`; it lies
   between `low` and `high` with a probability of at least 95 %. These come from order statistics of the samples of both cases,
   and are empty where a run has no samples.csv or too few samples: then ratio is of the medians in rows.csv.
   pairmark query share/queries/one-change.sql DIR */
WITH cases AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY min(line)) AS place, run, device, case_id, variant, n,
      json_array(device, host, workload, box_hash, precision, cutoff) AS setting,
      coalesce(tunables, '') AS tunables, outputs, interaction, median(force_s_median) AS row_s
    FROM rows WHERE twin IS NOT 1
    GROUP BY run, device, case_id HAVING min(status IS 'ok')),
  hot AS (
    SELECT run, device, case_id, seconds, count(*) OVER one AS count,
      row_number() OVER (one ORDER BY seconds) AS rank
    FROM samples WHERE cache = 'hot' WINDOW one AS (PARTITION BY run, device, case_id)),
  medians AS MATERIALIZED ( /* binomial, by its normal approximation: each limit is passed with 1.25 % */
    SELECT run, device, case_id, median(seconds) AS s,
      max(seconds) FILTER (WHERE 2 * rank <= count AND (count - 2 * rank + 1) * (count - 2 * rank + 1) >= 5.03 * count) AS low_s,
      min(seconds) FILTER (WHERE 2 * rank > count AND (2 * rank - count - 1) * (2 * rank - count - 1) >= 5.03 * count) AS high_s
    FROM hot GROUP BY run, device, case_id),
  timed AS MATERIALIZED (
    SELECT cases.*, coalesce(s, row_s) AS s, low_s, high_s FROM cases LEFT JOIN medians USING (run, device, case_id)),
  words AS (
    SELECT place, value AS word, instr(value, '=') AS equals
    FROM timed, json_each('["' || replace(tunables, ' ', '","') || '"]') WHERE tunables <> ''),
  things AS MATERIALIZED ( /* of two cases the one with the lower rank is the one that `was` */
    SELECT place, substr(word, 1, equals - 1) AS name, substr(word, equals + 1) AS value,
      CAST(substr(word, equals + 1) AS REAL) AS rank FROM words
    UNION ALL SELECT place, 'outputs', outputs, instr('forces energy virial', outputs) FROM timed
    UNION ALL SELECT place, 'interaction', interaction, length(interaction) FROM timed),
  changes AS (
    SELECT a.place AS a, b.place AS b, was.name, was.value AS was, becomes.value AS becomes,
      was.rank AS was_rank, becomes.rank AS becomes_rank
    FROM timed AS a JOIN timed AS b USING (run, setting, variant)
      JOIN things AS was ON was.place = a.place
      JOIN things AS becomes ON becomes.place = b.place AND becomes.name = was.name
    WHERE a.place <> b.place AND was.value <> becomes.value)
SELECT name AS changes, was, becomes, timed.variant, timed.n, timed.s / before.s AS ratio,
  timed.low_s / before.high_s AS low, timed.high_s / before.low_s AS high, timed.outputs, timed.tunables
FROM changes JOIN timed ON timed.place = b JOIN timed AS before ON before.place = a
GROUP BY a, b HAVING count(*) = 1 AND (was_rank, a) < (becomes_rank, b)
ORDER BY name, was_rank, becomes_rank, a, b;
