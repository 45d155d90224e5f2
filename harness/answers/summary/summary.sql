/*
 * What the rows of a run say: points, the settings that they are compared within, and who wins
 * where. `keyed` are the rows (answers/tables/analysis.h).
 */

CREATE VIEW results AS SELECT rowid AS id, *, visit_s_sd / force_s_median AS visit_deviation
  FROM rows WHERE status = 'ok' AND twin IS NOT 1;

/* A point: one setting, N, variant, its knobs (tunables and the like) and box file; rows of several
 * seeds and repetitions are one point. A setting is all else. `id` is its first row that is no twin
 * `failed` the first that is not ok or has no time, twins included; times of twins do
 * not count. `mixes`: rows of one repetition have two case_ids and two kernel_hashes, as in folders
 * from before kernels were kept; such a point has no time. */
CREATE TABLE points AS WITH
  placed AS (SELECT *, CASE box_kind WHEN 'file' THEN box_hash END AS file,
    dense_rank() OVER (ORDER BY host, device, workload, interaction, outputs, box_kind, periodic,
      density, cutoff, precision, setting) AS part,
    CASE WHEN kernel_hash IS NOT NULL THEN case_id END AS known_case,
    CASE WHEN case_id IS NOT NULL THEN kernel_hash END AS kernel FROM keyed),
  marked AS (SELECT *, min(known_case) OVER same <> max(known_case) OVER same
    AND min(kernel) OVER same <> max(kernel) OVER same AS mixes FROM placed
    WINDOW same AS (PARTITION BY part, n, n_a, n_b, variant, knobs, file, seed,
      repetition, twin)),
  gathered AS (SELECT part AS setting, n, n_a, n_b, variant, knobs, file,
    min(id) FILTER (WHERE twin IS NOT 1) AS id, max(mixes) AS mixes,
    min(id) FILTER (WHERE (status = 'ok' AND force_s_median > 0) IS NOT TRUE) AS failed,
    median(force_s_median) FILTER (WHERE twin IS NOT 1) AS force_s,
    median(force_s_p05) FILTER (WHERE twin IS NOT 1) AS p05_s,
    median(force_s_p95) FILTER (WHERE twin IS NOT 1) AS p95_s,
    median(build_s_median) FILTER (WHERE twin IS NOT 1) AS build_s,
    median(end_to_end_s_median) FILTER (WHERE twin IS NOT 1) AS end_to_end_s,
    median(pairs_per_s) FILTER (WHERE twin IS NOT 1) AS pairs_per_s,
    median(percent_of_peak) FILTER (WHERE twin IS NOT 1) AS percent_of_peak
    FROM marked GROUP BY 1, 2, 3, 4, 5, 6, 7)
  SELECT gathered.*, failed IS NULL AND mixes IS NOT 1 AS passed,
    short_kernel = 1 AS is_short,
    CASE WHEN mixes THEN 'two kernels' WHEN failed IS NULL THEN 'ok' ELSE (SELECT
      iif(status = 'ok', 'no time', coalesce(status, 'no status')) FROM rows WHERE rowid = failed)
      END AS status
  FROM gathered JOIN rows ON rows.rowid = id
  ORDER BY setting, gathered.n, file, gathered.variant, force_s NULLS LAST, gathered.n_a,
    gathered.n_b, gathered.knobs;

/* Which part of what is ranked a point belongs to: its setting. */
CREATE VIEW settings AS SELECT rowid AS place, setting AS part FROM points;

/* The fastest that passed at each N of a setting. */
CREATE VIEW races AS SELECT setting, n, min(rowid) AS first,
    (SELECT rowid FROM points AS p WHERE p.setting = points.setting AND p.n IS points.n AND passed
      ORDER BY force_s, rowid LIMIT 1) AS best
  FROM points GROUP BY setting, n;
