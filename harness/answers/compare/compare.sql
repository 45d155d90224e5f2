/*
 * Which rows of a comparison belong to which side and case. It needs `asked`, what sides differ in,
 * and `given`, the side that each run was given on; case_key(id, by) and status_of(word) are
 * functions of cases.c.
 */

CREATE TABLE named AS SELECT id, run, device_label, coalesce(nullif(CASE by_what
      WHEN 'run' THEN CAST(given_side AS TEXT) WHEN 'device' THEN device_label
      WHEN 'variant' THEN variant WHEN 'precision' THEN precision WHEN 'commit' THEN git_commit END,
      ''), '(not recorded)') AS name,
    iif(by_what = 'precision', CASE precision WHEN 'mixed' THEN 1 WHEN 'double' THEN 2
      WHEN 'fixed' THEN 3 ELSE 0 END, 0) AS rank,
    iif(by_what = 'commit', coalesce(utc, ''), '') AS date
  FROM (SELECT rowid AS id, *, coalesce(device_model || ' ', '') || coalesce(device, '')
      AS device_label FROM rows) JOIN given USING (run), asked;

/* Sides are ordered by run, rank, then name or (commits) date of their first rows. */
CREATE TABLE sides AS SELECT row_number() OVER (ORDER BY run, rank, date, name) AS side, name, id
  FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY run, rank, date, id) AS ordinal
    FROM named) WHERE ordinal = 1;

/* Whether devices are separate: where variants, precisions or commits are compared, and in runs
 * where one side has several of them. Their times must not be pooled. */
CREATE TABLE apart AS SELECT by_what <> 'device' AND (by_what <> 'run' OR EXISTS
    (SELECT 1 FROM named JOIN rows ON rows.rowid = id GROUP BY name
      HAVING count(DISTINCT coalesce(device, '')) > 1)) AS by_device FROM asked;

/* The rows of a side, its twins apart. `ordinal` orders them; `status` is NULL where a row has
 * none. */
CREATE VIEW sided AS SELECT id, side, twin IS 1 AS is_twin, iif(twin IS 1, -id, id) AS ordinal,
    status_of(status) AS status, status AS word, variant, rows.run,
    coalesce(tunables, '') AS tunables, run_id, repetition, device, case_id,
    case_key(id, by_number) || iif(by_device, device_label, '') AS case_key
  FROM (SELECT named.id, device_label, side FROM named JOIN sides USING (name))
    JOIN rows ON rows.rowid = id, apart, asked;

/* Rows of one `key` are joined, those of one `number` are one case: within a key of variants, the
 * tunables. */
CREATE TABLE gathered AS SELECT id, side, is_twin, ordinal, status,
    dense_rank() OVER (ORDER BY case_key) AS key,
    dense_rank() OVER (ORDER BY case_key, tunables) AS number,
    row_number() OVER (PARTITION BY side, is_twin, case_key, tunables, run, run_id, repetition,
      device, case_id ORDER BY ordinal) > 1 AS is_again
  FROM sided WHERE status IS NOT NULL AND variant IS NOT NULL;
