/*
 * From recorded rows to the points of figures: a table after the other, then views of what is
 * drawn. `keyed` are the rows (answers/tables/analysis.h); row_words(id, which) and alike(...) are
 * functions of plot_points.c.
 */

/* The rows that are drawn: those that passed, with numbers that can stand on a logarithmic axis; a
 * number out of its bounds, which only a hand or a torn file writes, is not known. Half the edge
 * grows with N, so that its numbers differ from row to row though the user asked for one thing; a
 * number that rows of another N share is a number, even if it is half an edge by chance. */
CREATE TABLE drawn AS SELECT id, run, run_name, coalesce(host, '') AS host,
    coalesce(device, '') AS unit, coalesce(device_model, device, '') AS model,
    coalesce(backend, '') AS backend, coalesce(workload, '') AS workload,
    coalesce(interaction, '') AS interaction, coalesce(outputs, '') AS outputs,
    coalesce(box_kind, '') AS box_kind, coalesce(precision, '') AS precision,
    coalesce(variant, '') AS variant, n, knobs,
    row_words(id, 0) AS box_density, row_words(id, 2) AS box_groups,
    CASE WHEN row_words(id, 3) = 'half' AND min(n) OVER same = max(n) OVER same
      THEN 'half the edge' ELSE row_words(id, 1) END AS box_cutoff,
    dense_rank() OVER (ORDER BY run, host, device, device_model, backend) AS source,
    CASE precision WHEN 'float' THEN 0 WHEN 'mixed' THEN 1 WHEN 'double' THEN 2 ELSE 3 END
      AS precision_rank, force_s_median AS time_s,
    CASE WHEN force_s_p05 BETWEEN 1e-12 AND 1e9 THEN force_s_p05 END AS p05_s,
    CASE WHEN force_s_p95 BETWEEN 1e-12 AND 1e9 THEN force_s_p95 END AS p95_s,
    CASE WHEN build_s_median BETWEEN 1e-12 AND 1e9 THEN build_s_median END AS build_s,
    CASE WHEN pairs_per_s BETWEEN 1e-9 AND 1e24 THEN pairs_per_s END AS pairs_per_s,
    CASE WHEN max_rel_force_error BETWEEN 0 AND 1e18 THEN max_rel_force_error END AS error,
    CASE WHEN nj_per_pair BETWEEN 1e-12 AND 1e18 THEN nj_per_pair END AS nj_per_pair,
    CASE WHEN coalesce(counted_percent_of_peak, percent_of_peak) BETWEEN 1e-12 AND 1e6
      THEN coalesce(counted_percent_of_peak, percent_of_peak) END AS percent_of_peak
  FROM keyed WHERE status = 'ok' AND twin IS NOT 1 AND n BETWEEN 1 AND 1e12
    AND force_s_median BETWEEN 1e-12 AND 1e9
  WINDOW same AS (PARTITION BY row_words(id, 1));

/* Where several sources (run, host, device) of a model share a line of a figure, all of that model
 * are drawn apart, each by no more words than distinguish it from the others: the run, the host
 * within a run, the device within a host. */
CREATE TABLE apart AS WITH
  shared AS (SELECT DISTINCT model, backend FROM drawn GROUP BY workload, interaction, model,
    backend, box_kind, box_density, box_cutoff, outputs, box_groups, precision, variant
    HAVING count(DISTINCT source) > 1),
  hosts AS (SELECT model, backend, run, host, count(DISTINCT unit) AS units,
    count(*) OVER (PARTITION BY model, backend, run) AS hosts FROM drawn GROUP BY 1, 2, 3, 4),
  differ AS (SELECT model, backend, count(DISTINCT run) > 1 AS run, max(hosts) > 1 AS host,
    max(units) > 1 AS unit FROM hosts GROUP BY 1, 2)
  SELECT DISTINCT d.source, d.run AS own_run,
    iif(differ.run, substr(coalesce(d.run_name, 'run ' || d.run), 1, 80), '')
    || iif(differ.run AND differ.host, ', ', '') || iif(differ.host, substr(d.host, 1, 40), '')
    || iif(differ.unit AND (differ.run OR differ.host), ', ', '')
    || iif(differ.unit, substr(d.unit, 1, 30), '') AS label
  FROM drawn AS d JOIN differ USING (model, backend) JOIN shared USING (model, backend);

/* Repetitions become one case. `part` numbers the sets of what is drawn together. */
CREATE TABLE cases AS SELECT *, dense_rank() OVER (ORDER BY workload, interaction, model, backend,
    box_kind, box_density, box_cutoff, outputs, box_groups, own_run, label) AS part
  FROM (SELECT min(id) AS id, max(run) AS run, count(*) AS repetitions, median(time_s) AS time_s,
      median(p05_s) AS p05_s, median(p95_s) AS p95_s, median(build_s) AS build_s,
      median(pairs_per_s) AS pairs_per_s, median(nj_per_pair) AS nj_per_pair,
      median(percent_of_peak) AS percent_of_peak, max(error) AS error, workload, interaction,
      model, backend, box_kind, box_density, box_cutoff, outputs, box_groups, own_run, label,
      precision_rank, precision, variant, n, knobs
    FROM drawn LEFT JOIN apart USING (source)
    GROUP BY workload, interaction, model, backend, box_kind, box_density, box_cutoff, outputs,
      box_groups, own_run, label, precision_rank, precision, variant, n, knobs)
  ORDER BY part, precision_rank, precision, variant, n, knobs;

/* Of the cases of one variant, precision and N the fastest. */
CREATE TABLE points AS SELECT
    row_number() OVER (ORDER BY part, precision_rank, c.precision, c.variant, c.n) AS point,
    part, precision_rank, c.precision, c.variant, c.n, repetitions, time_s,
    iif(p05_s <= time_s, p05_s, time_s) AS p05_s, iif(p95_s >= time_s, p95_s, time_s) AS p95_s,
    build_s, c.pairs_per_s * time_s AS pairs, c.nj_per_pair, error,
    iif(row_words(id, 4) = '', c.percent_of_peak, NULL) AS percent_of_peak,
    c.n = max(c.n) OVER (PARTITION BY part, c.precision, c.variant) AS is_largest,
    coalesce(structure, '') AS structure, coalesce(tunables, '-') AS tunables,
    iif(box_groups LIKE '|%', n_a, NULL) AS n_a, iif(box_groups LIKE '|%', n_b, NULL) AS n_b
  FROM (SELECT *, row_number() OVER (PARTITION BY part, precision, variant, n
      ORDER BY time_s, knobs) AS choice FROM cases) AS c JOIN rows ON rows.rowid = id
  WHERE choice = 1 ORDER BY point;
CREATE INDEX points_of_part ON points(part);
CREATE INDEX points_of_variant ON points(variant, precision, part);

/* What environment.json beside the rows knows of the rates of devices; runs from before the memory
 * rate was measured have the multiply-adds alone, under another name. */
CREATE VIEW peaks AS SELECT run, device.key AS device, kind, is_older,
    coalesce(json_extract(device.value, '$.backend'), '') AS backend,
    coalesce(json_extract(device.value, '$.model'), '') AS model,
    json_extract(device.value, pointer) AS rate
  FROM runs, json_each(environment, '$.devices') AS device,
    (SELECT column1 AS kind, column2 AS pointer, column3 AS is_older
      FROM (VALUES ('float', '$.peaks.fp32_operations_per_s', 0),
        ('float', '$.peak_operations_per_s.float', 1),
        ('double', '$.peaks.fp64_operations_per_s', 0),
        ('double', '$.peak_operations_per_s.double', 1),
        ('copy', '$.peaks.copy_bytes_per_s', 0)))
  WHERE json_type(environment, '$.devices') = 'array' AND device.type = 'object';

/* In which numbers a precision computes, and the least traffic of one particle: four numbers of the
 * arithmetic's type read, three of the accumulation's written. */
CREATE TABLE arithmetic AS SELECT column1 AS precision, column2 AS kind, column3 AS bytes
  FROM (VALUES ('float', 'float', 4 * 4 + 3 * 4), ('mixed', 'float', 4 * 4 + 3 * 8),
    ('double', 'double', 4 * 8 + 3 * 8), ('fixed', 'float', 4 * 4 + 3 * 8));

/* The sets, with what they agree in but for one thing. `run` is that of their first case. */
CREATE TABLE sets AS WITH
  firsts AS (SELECT part, min(rowid) AS first, max(repetitions > 1) AS averaged,
    max(build_s > 0) AS built,
    count(*) > (SELECT count(*) FROM points WHERE points.part = cases.part) AS tuned
    FROM cases GROUP BY part)
  SELECT part, id, run, own_run, coalesce(label, '') AS label, model, backend, box_kind,
    box_density, box_cutoff, averaged, built, tuned, CAST(NULL AS REAL) AS noise,
    part = min(part) OVER (PARTITION BY model, backend) AS is_first_of_device,
    dense_rank() OVER (ORDER BY workload, interaction, box_kind, box_density, box_cutoff, outputs,
      box_groups) AS but_device,
    dense_rank() OVER (ORDER BY workload, interaction, model, backend, outputs, box_groups, own_run,
      label) AS but_box
  FROM firsts JOIN cases USING (part) WHERE cases.rowid = first ORDER BY part;

/* The peak of a set's device: of several runs the first that knows it, but of a set that is drawn
 * apart its own run. */
CREATE VIEW peaks_of_sets AS SELECT part, kind, rate FROM (SELECT part, kind, rate, row_number()
      OVER (PARTITION BY part, kind ORDER BY peaks.run, device, is_older) AS ordinal
    FROM sets JOIN peaks USING (model, backend)
    WHERE typeof(rate) IN ('integer', 'real') AND rate > 0 AND rate < 9e999
      AND (label = '' OR peaks.run = sets.run))
  WHERE ordinal = 1;

/* ---- what is drawn: the points of one figure, with their places on the axes; `key` says which
 * figure ---- */

CREATE TABLE shown AS SELECT *, part AS key, n AS place, n AS x, time_s AS low, time_s AS high
  FROM points WHERE 0;

CREATE VIEW points_of_time AS SELECT *, part AS key, n AS place, n, p05_s, p95_s FROM points;
CREATE VIEW points_of_pairs AS SELECT *, part AS key, n AS place, n, pairs / p95_s, pairs / p05_s
  FROM points WHERE pairs > 0;
CREATE VIEW points_of_energy AS SELECT *, part AS key, n AS place, n, nj_per_pair, nj_per_pair
  FROM points WHERE nj_per_pair > 0;

/* At the N that most variants and precisions have in common; of several, the largest. An error of
 * exactly zero has no place on a logarithmic axis: it is drawn where half an ulp of double would
 * be. */
CREATE VIEW points_of_error AS SELECT *, part AS key, n AS place, max(error, 1e-17), time_s, time_s
  FROM points
  WHERE error >= 0 AND n = (SELECT n FROM points AS p WHERE p.part = points.part AND error >= 0
    GROUP BY n HAVING count(*) > 1 ORDER BY count(*) DESC, n DESC LIMIT 1);

/* The least bytes are of each particle that takes part: of two groups, their members. */
CREATE VIEW points_of_roofline AS
  SELECT p.*, part AS key, n AS place, p.percent_of_peak / 100 * rate * time_s
      / (bytes * iif(n_a + n_b < n, n_a + n_b, n)), p.percent_of_peak / 100 * rate,
    p.percent_of_peak / 100 * rate
  FROM points AS p JOIN arithmetic USING (precision) JOIN peaks_of_sets USING (part, kind)
  WHERE percent_of_peak > 0;

/* The variants that several sets have which differ in the device alone. */
CREATE VIEW points_of_devices AS SELECT p.*, but_device AS key, n AS place, n, p05_s, p95_s
  FROM points AS p JOIN sets USING (part)
  WHERE (SELECT count(DISTINCT q.part) FROM points AS q JOIN sets AS s ON s.part = q.part
    WHERE s.but_device = sets.but_device AND q.precision = p.precision
    AND q.variant = p.variant) > 1;

/* Sets that differ in the device alone, numbered, with a label of 36 letters or little more: the
 * model is cut so that what follows it has room. */
CREATE VIEW rivals AS SELECT part, but_device, CAST(device AS TEXT) AS device,
    iif(length(model) <= room, model, substr(model, 1, iif(room > 12, room - 3, 9)) || '...')
      || rest AS label
  FROM (SELECT *, 36 - length(rest) AS room FROM (SELECT *,
    row_number() OVER (PARTITION BY but_device ORDER BY part) AS device,
    ' (' || backend || ')' || iif(label = '', '', ', ' || label) AS rest FROM sets));

/* ---- what is made of the points that are shown ---- */

/* Whether no other point is faster with an error at most 10 % larger, or as fast and more accurate:
 * errors this close are that of one largest force or another. */
CREATE VIEW fronts AS SELECT *, NOT EXISTS (SELECT 1 FROM shown AS o WHERE (o.time_s < shown.time_s
    AND o.error <= 1.1 * shown.error) OR (o.time_s = shown.time_s AND o.error < shown.error))
    AS on_front FROM shown;

/* Which of its variants a figure names. Eight or fewer: all. Of more those that are the fastest of
 * a precision at some place, more often first; the slowest, compared with the fastest at the last
 * place that it has; and of each structure that several variants walk the fastest at the last place
 * that one of them has, the most common structure first. Eight at the most; `ordinal` orders them, and
 * then the others. */
CREATE VIEW lines AS WITH
  marked AS (SELECT variant, structure, place, time_s,
    time_s = min(time_s) OVER (PARTITION BY precision, place) AS wins,
    min(time_s) OVER (PARTITION BY place) AS fastest_s,
    place = max(place) OVER (PARTITION BY variant) AS is_last FROM shown),
  candidates AS (SELECT variant, max(structure) AS structure, sum(wins) AS wins,
    max(place) AS last, min(time_s) FILTER (WHERE is_last) AS last_s,
    min(time_s) FILTER (WHERE is_last) / min(fastest_s) FILTER (WHERE is_last) AS slower
    FROM marked GROUP BY variant),
  ordered AS (SELECT *, row_number() OVER (ORDER BY wins DESC, slower, variant) AS rank,
    count(*) OVER () AS count, count(*) OVER (PARTITION BY structure) AS users FROM candidates),
  reasoned AS (SELECT variant, rank, users, min(rank) OVER (PARTITION BY structure) AS head, CASE
    WHEN wins > 0 OR count <= 8 THEN 1
    WHEN row_number() OVER (ORDER BY slower DESC, rank) = 1 THEN 2
    WHEN users > 1 AND row_number() OVER (PARTITION BY structure
      ORDER BY last DESC, last_s, rank) = 1 THEN 3 ELSE 4 END AS reason FROM ordered),
  chosen AS (SELECT *, reason < 4 AND row_number() OVER (ORDER BY reason,
    iif(reason = 3, -users, 0), iif(reason = 3, head, rank)) <= 8 AS is_named FROM reasoned)
  SELECT variant, is_named, row_number() OVER (ORDER BY is_named DESC, iif(is_named, reason, 0),
    iif(is_named AND reason = 3, -users, 0), iif(is_named AND reason = 3, head, rank)) AS ordinal
    FROM chosen;

/* ---- the crossover map ---- */

/* The fastest of a set, precision and N, the building of its structure counted or not; `next` takes
 * as long or longer. `is_close`: their times do not differ significantly. */
CREATE VIEW winners AS SELECT *, alike(noise, seconds, p95_s, next_s, next_p05_s) AS is_close
  FROM (SELECT part, but_box, point, precision_rank, precision, variant, n, with_build, noise,
      time_s + built_s AS seconds, p95_s + built_s AS p95_s,
      lead(time_s + built_s) OVER same AS next_s, lead(p05_s + built_s) OVER same AS next_p05_s,
      row_number() OVER same AS rank
    FROM (SELECT points.*, but_box, noise, with_build,
        iif(with_build AND build_s > 0, build_s, 0) AS built_s
      FROM points JOIN sets USING (part), (SELECT 0 AS with_build UNION ALL SELECT 1))
    WINDOW same AS (PARTITION BY with_build, part, precision, n ORDER BY time_s + built_s, point))
  WHERE rank = 1;

/* The lines of a map, from the top down: those of a precision under a heading, from dense to dilute
 * boxes; of one box alone a line a precision. */
CREATE VIEW map_lines AS SELECT but_box, part, precision, y + 0.5 AS y, heading, words
  FROM (SELECT *, row_number() OVER line - 1 + iif(boxes > 1, heading, 0) AS y,
      iif(boxes = 1, precision, box_kind || ' ' || iif(box_density = '', 'open', box_density)
        || iif(cutoffs > 1, ', cutoff ' || box_cutoff, '')) AS words
    FROM (SELECT *, dense_rank() OVER (PARTITION BY but_box ORDER BY precision_rank, precision)
        AS heading FROM (SELECT DISTINCT part, precision_rank, precision FROM points)
      JOIN sets USING (part) JOIN (SELECT but_box, count(*) AS boxes,
        count(DISTINCT box_cutoff) AS cutoffs FROM sets GROUP BY but_box) USING (but_box))
    WINDOW line AS (PARTITION BY but_box ORDER BY precision_rank, precision,
      CAST(box_density AS REAL) DESC, box_kind DESC, box_cutoff DESC));

/* One map for all that differs in the box alone, with two variants and two Ns. `first` is the most
 * dilute of its sets. */
CREATE VIEW maps AS SELECT but_box, max(built) AS built, count(DISTINCT part) AS boxes,
    count(DISTINCT box_cutoff) AS cutoffs,
    (SELECT part FROM sets AS s WHERE s.but_box = sets.but_box
      ORDER BY CAST(box_density AS REAL), box_kind, box_cutoff LIMIT 1) AS first
  FROM points JOIN sets USING (part) GROUP BY but_box
  HAVING count(DISTINCT n) > 1 AND count(DISTINCT variant) > 1 ORDER BY min(part);
