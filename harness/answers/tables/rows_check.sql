/*
 * What rows.csv, visits.csv, samples.csv and environment.json of one run say of each other. `every`
 * has rows and visits, with the `file`. differ(a, b): both are known, and apart by more than
 * rounding. A reason has no values, so that those of many rows become one line.
 */

CREATE TABLE reasons(file TEXT, line INTEGER, is_error INTEGER, reason TEXT);

/* The run and those that it went on with or was merged from. */
CREATE TABLE origins AS SELECT json_extract(value, '$.run_id') AS run_id,
    json_extract(value, '$.host.name') AS host, json_extract(value, '$.git_commit') AS git_commit,
    value AS described
  FROM runs, json_tree(environment)
  WHERE type = 'object' AND json_extract(value, '$.run_id') IS NOT NULL;

CREATE TABLE origin_devices AS SELECT run_id, json_extract(value, '$.name') AS device,
    json_extract(value, '$.backend') AS backend, json_extract(value, '$.model') AS model,
    json_extract(value, '$.driver') AS driver, json_extract(value, '$.toolkit') AS toolkit,
    json_extract(value, '$.clock_mhz') AS clock_mhz
  FROM origins, json_each(described, '$.devices') WHERE type = 'object';

/* ---- whose it is ---- */

INSERT INTO reasons SELECT 'environment.json', NULL, 1, 'is missing or cannot be read'
  FROM runs WHERE environment IS NULL;
INSERT INTO reasons SELECT 'environment.json', NULL, 1, 'has no commit, command line or host'
  FROM runs WHERE environment IS NOT NULL AND (git_commit IS NULL OR command_line IS NULL
    OR host IS NULL OR os IS NULL OR cpu IS NULL);
INSERT INTO reasons SELECT file, line, 1, 'run_id is of no run in environment.json'
  FROM every WHERE run_id IS NULL OR run_id NOT IN (SELECT run_id FROM origins);
INSERT INTO reasons SELECT file, line, 1, 'host is another than in environment.json'
  FROM every JOIN origins AS o USING (run_id) WHERE every.host IS NOT o.host;
INSERT INTO reasons SELECT file, line, 1, 'git_commit is another than in environment.json'
  FROM every JOIN origins AS o USING (run_id) WHERE every.git_commit IS NOT o.git_commit;
INSERT INTO reasons SELECT file, line, 1,
    'device, its model, driver or compiler are others than in environment.json'
  FROM every AS r WHERE run_id IN (SELECT run_id FROM origins) AND NOT EXISTS
    (SELECT 1 FROM origin_devices AS d WHERE d.run_id = r.run_id AND d.device IS r.device
      AND d.backend IS r.backend AND d.model IS r.device_model AND d.driver IS r.driver
      AND d.toolkit IS r.toolkit);
INSERT INTO reasons SELECT file, line, 1, 'the device has no model or driver'
  FROM every WHERE device_model IS NULL OR driver IS NULL;
INSERT INTO reasons SELECT file, line, 1, CASE WHEN git_commit GLOB '*-dirty'
      THEN 'git_commit is -dirty: the program had changes that no commit has'
      ELSE 'git_commit is no commit' END
  FROM every WHERE git_commit IS NULL OR length(git_commit) <> 40
    OR git_commit GLOB '*[^0-9a-f]*';
INSERT INTO reasons SELECT file, line, 1, 'utc is before the run began'
  FROM every JOIN origins AS o USING (run_id) WHERE every.utc < json_extract(o.described, '$.utc');

INSERT INTO reasons SELECT json_extract(described, '$.changed_files'), NULL, 1,
    'changed after a run, before another went on with it'
  FROM origins WHERE json_extract(described, '$.changed_files') IS NOT NULL;

/* ---- whole ---- */

INSERT INTO reasons SELECT 'rows.csv', NULL, 1, 'has fewer or more rows than the plan has cases'
  FROM runs WHERE json_extract(environment, '$.earlier_runs') IS NULL
    AND json_extract(environment, '$.shard') IS NULL
    AND (SELECT count(*) FROM rows WHERE twin IS NOT 1) <>
      json_extract(environment, '$.plan.selected') *
      json_extract(environment, '$.plan.repetitions');
INSERT INTO reasons SELECT 'environment.json', NULL, 0, 'is of one share: pairmark merge joins all'
  FROM runs WHERE json_extract(environment, '$.shard') IS NOT NULL;
INSERT INTO reasons SELECT 'rows.csv', max(line), 1, 'is a second row of a result' FROM rows
  GROUP BY case_id, device, repetition HAVING count(*) > 1;
INSERT INTO reasons SELECT file, line, 1, 'case_id, box_hash, kernel_hash or result_hash is no hash'
  FROM (SELECT *, coalesce(case_id, '') || coalesce(box_hash, '') || coalesce(kernel_hash, '') ||
      coalesce(result_hash, box_hash, '') AS hashes FROM every)
  WHERE status = 'ok' AND (length(hashes) <> 4 * 32 OR hashes GLOB '*[^0-9a-f]*');
INSERT INTO reasons SELECT 'visits.csv', NULL, 1, 'is missing: rows had several visits'
  FROM runs WHERE json_extract(environment, '$.checksums') IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM visits) AND EXISTS (SELECT 1 FROM rows WHERE visits > 1);

/* Rows of one text, and of one box, have one hash. A grid that is derived from the box (grid_x=0) stands in the text as a number. */
INSERT INTO reasons SELECT 'rows.csv', max(line), 1,
    'kernel_hash is another than in rows of the same kernel and options'
  FROM keyed WHERE status = 'ok' GROUP BY run_id, device, workload, interaction, variant, precision,
    outputs, tunables, knobs, periodic, axes, groups, list, list_pairs, list_entries, dynamics,
    compiler_options, long_range, iif(interaction || long_range GLOB '*grid_[xyz]=0*', box_hash, '')
  HAVING count(DISTINCT kernel_hash) > 1;
INSERT INTO reasons SELECT 'rows.csv', max(line), 1, 'box_hash is another than in rows of the box'
  FROM rows WHERE box_kind <> 'file' AND case_name NOT GLOB '*/charges:*' AND status = 'ok'
  GROUP BY workload, interaction, box_kind, n, batch, batch_sizes, density, seed, periodic, axes, precision,
    iif(workload = 'step' OR axes IS NOT NULL, case_id, '') HAVING count(DISTINCT box_hash) > 1;
INSERT INTO reasons SELECT file, line, 1, 'case_name is of another case than the columns'
  FROM every WHERE '/' || case_name || '/' NOT GLOB '*/' || variant || '/' || precision || '/*'
    OR (case_name GLOB '*/n:[0-9]*' AND
      case_name || '/' NOT GLOB '*/n:' || CAST(n AS INTEGER) || '/*')
    OR (status = 'ok' AND workload = 'forces' AND cutoff <> iif(case_name GLOB '*/cutoff:[0-9]*',
      CAST(substr(case_name, instr(case_name, '/cutoff:') + 8) AS REAL), 2.5)
      AND box_kind <> 'file' AND case_name NOT GLOB '*/cutoff:[a-z]*');

/* ---- judged ---- */

INSERT INTO reasons SELECT file, line, 1, 'status is ok without an error within its tolerance'
  FROM every WHERE status = 'ok' AND NOT (coalesce(worst_ratio, 2) <= 1);
INSERT INTO reasons SELECT file, line, 1, 'status is ok without a time'
  FROM every WHERE status = 'ok' AND NOT (coalesce(force_s_median, 0) > 0);
INSERT INTO reasons SELECT file, line, 1, 'has a time though its status is not ok'
  FROM every WHERE status IS NOT 'ok' AND force_s_median IS NOT NULL;
INSERT INTO reasons SELECT file, line, 1, 'status is not ok and message empty'
  FROM every WHERE status IS NOT 'ok' AND message IS NULL;

/* ---- times and what follows from them ---- */

INSERT INTO reasons SELECT file, line, 1, 'ns_per_particle is not force_s_median over n'
  FROM every WHERE status = 'ok' AND (ns_per_particle IS NULL OR
    differ(ns_per_particle * n, 1e9 * force_s_median));
INSERT INTO reasons SELECT file, line, 1, 'pairs_per_s is not pairs_in_cutoff over force_s_median'
  FROM every WHERE differ(pairs_per_s * force_s_median, pairs_in_cutoff * coalesce(steps, 1));
INSERT INTO reasons SELECT file, line, 1,
    'evaluated_pairs_per_s is not pairs_evaluated over force_s_median'
  FROM every WHERE differ(evaluated_pairs_per_s * force_s_median, pairs_evaluated);
INSERT INTO reasons SELECT file, line, 1, 'hit_ratio is not pairs_in_cutoff over pairs_evaluated'
  FROM every WHERE differ(hit_ratio * pairs_evaluated, pairs_in_cutoff * coalesce(steps, 1));
INSERT INTO reasons SELECT file, line, 1, 'atom_steps_per_s is not n steps over force_s_median'
  FROM every WHERE differ(atom_steps_per_s * force_s_median, n * steps);
INSERT INTO reasons SELECT file, line, 1, 'nj_per_pair is not energy_j over pairs_in_cutoff'
  FROM every WHERE differ(nj_per_pair * pairs_in_cutoff, 1e9 * energy_j);
INSERT INTO reasons SELECT file, line, 1, 'force_s_min, p05, median and p95 do not ascend'
  FROM every WHERE NOT (force_s_min <= force_s_p05 AND force_s_p05 <= force_s_median
    AND force_s_median <= force_s_p95);
INSERT INTO reasons SELECT file, line, 1, 'force_s_mad is more than p05 to p95'
  FROM every WHERE force_s_mad > (force_s_p95 - force_s_p05) * 1.000001;
INSERT INTO reasons SELECT file, line, 1, 'wall_s is less than the samples took'
  FROM every WHERE wall_s < samples * force_s_min;

/* ---- visits and samples ---- */

CREATE TABLE by_sample AS SELECT run_id, case_id, device, repetition, coalesce(visit, 0) AS visit,
    sum(cache IS 'hot') AS samples, median(iif(cache IS 'hot', seconds, NULL)) AS median,
    min(iif(cache IS 'hot', seconds, NULL)) AS least,
    percentile(iif(cache IS 'hot', seconds, NULL), 5) AS p05,
    percentile(iif(cache IS 'hot', seconds, NULL), 95) AS p95,
    median(iif(cache IS 'cold', seconds, NULL)) AS cold
  FROM samples GROUP BY run_id, case_id, device, repetition, coalesce(visit, 0);
INSERT INTO reasons SELECT 'visits.csv', file_line, 1, 'its times or samples are not of samples.csv'
  FROM visits LEFT JOIN by_sample AS s USING (run_id, case_id, device, repetition, visit)
  WHERE EXISTS (SELECT 1 FROM samples) AND status = 'ok' AND (s.samples IS NULL
    OR s.samples <> visits.samples OR differ(s.median, force_s_median)
    OR differ(s.least, force_s_min) OR differ(s.p05, force_s_p05)
    OR differ(s.p95, force_s_p95) OR differ(s.cold, cold_force_s_median));
INSERT INTO reasons SELECT 'rows.csv', line, 1, 'its times or samples are not of samples.csv'
  FROM rows LEFT JOIN by_sample AS s ON s.run_id = rows.run_id AND s.case_id = rows.case_id
    AND s.device = rows.device AND s.repetition = rows.repetition AND s.visit = 0
  WHERE EXISTS (SELECT 1 FROM samples) AND NOT EXISTS (SELECT 1 FROM visits) AND status = 'ok'
    AND (s.samples IS NULL OR s.samples <> rows.samples OR differ(s.median, force_s_median)
      OR differ(s.least, force_s_min) OR differ(s.p05, force_s_p05)
      OR differ(s.p95, force_s_p95) OR differ(s.cold, cold_force_s_median));
INSERT INTO reasons SELECT 'samples.csv', min(file_line), 1, 'has samples of no row'
  FROM samples WHERE NOT EXISTS (SELECT 1 FROM rows WHERE rows.case_id = samples.case_id)
  HAVING count(*) > 0;
INSERT INTO reasons SELECT 'stages.csv', min(file_line), 1, 'has stages of no row'
  FROM stages WHERE NOT EXISTS (SELECT 1 FROM rows WHERE rows.case_id = stages.case_id)
  HAVING count(*) > 0;

/* ---- the state of the device ---- */

INSERT INTO reasons SELECT file, line, 0, 'sm_clock_mhz is more than the clock of the device'
  FROM every JOIN origin_devices AS d USING (run_id, device) WHERE sm_clock_mhz > d.clock_mhz;
INSERT INTO reasons SELECT 'rows.csv', line, backend = 'cuda',
    iif(backend = 'cuda', 'sm_clock_mhz is empty', 'OpenCL tells neither clock nor power')
  FROM rows WHERE status = 'ok' AND sm_clock_mhz IS NULL;
INSERT INTO reasons SELECT 'rows.csv', line, 0, 'power_w is empty'
  FROM rows WHERE status = 'ok' AND power_w IS NULL AND sm_clock_mhz IS NOT NULL;
INSERT INTO reasons SELECT 'rows.csv', line, 0, 'the device was throttled (throttle_reasons)'
  FROM rows WHERE throttle_reasons NOT IN ('none', 'idle');
INSERT INTO reasons SELECT 'rows.csv', line, 0, 'other programs took a tenth of the processors'
  FROM rows WHERE backend = 'opencl' AND machine_load >= 0.1;

/* ---- what older runs lack ---- */

INSERT INTO reasons SELECT 'checksums.txt', NULL, 1, 'is missing: the run did not end'
  FROM runs WHERE json_extract(environment, '$.checksums') IS NOT NULL
    AND NOT has_file('checksums.txt');
INSERT INTO reasons SELECT 'environment.json', NULL, 0,
    'names no checksums: what nothing else repeats could have been edited'
  FROM runs WHERE json_extract(environment, '$.checksums') IS NULL AND environment IS NOT NULL;
INSERT INTO reasons SELECT 'samples.csv', NULL, 0, 'is not there: times fit one another alone'
  FROM runs WHERE NOT EXISTS (SELECT 1 FROM samples);
