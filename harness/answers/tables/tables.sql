/*
 * The tables of recorded runs but for `rows` and `visits`, which have a column per column of rows.csv
 * (analysis.c makes them).
 */
CREATE TABLE runs(run INTEGER PRIMARY KEY, name TEXT, path TEXT, run_id TEXT, utc TEXT,
  pairmark_version TEXT, git_commit TEXT, command_line TEXT, host TEXT, cpu TEXT,
  logical_cpus INTEGER, memory_bytes INTEGER, os TEXT, kernel TEXT, confinement TEXT,
  noise_floor REAL, noise_pairs INTEGER, environment TEXT, doubts TEXT);
CREATE TABLE devices(run INTEGER, device TEXT, backend TEXT, device_model TEXT, driver TEXT,
  toolkit TEXT, memory_bytes INTEGER, l2_bytes INTEGER, local_bytes INTEGER,
  compute_units INTEGER, clock_mhz REAL, launch_overhead_us REAL, fp32_operations_per_s REAL,
  fp64_operations_per_s REAL, fp32_rsqrt_per_s REAL, copy_bytes_per_s REAL,
  local_read_bytes_per_s REAL);
CREATE TABLE samples(run INTEGER, file_line INTEGER, case_id TEXT, repetition INTEGER,
  visit INTEGER, sample INTEGER, cache TEXT, seconds REAL, device TEXT, run_id TEXT);
CREATE INDEX samples_of_case ON samples(run, case_id);
CREATE TABLE stages(run INTEGER, file_line INTEGER, case_id TEXT, repetition INTEGER,
  visit INTEGER, stage TEXT, statistic TEXT, value REAL, device TEXT, run_id TEXT);
CREATE INDEX stages_of_case ON stages(run, case_id);

/* What environment.json says, as soon as it is there. */
CREATE TRIGGER facts AFTER UPDATE OF environment ON runs BEGIN
  UPDATE runs SET run_id = json_extract(environment, '$.run_id'),
    utc = json_extract(environment, '$.utc'),
    pairmark_version = json_extract(environment, '$.pairmark_version'),
    git_commit = json_extract(environment, '$.git_commit'),
    command_line = (SELECT group_concat(value, ' ') FROM json_each(environment, '$.command_line')),
    host = json_extract(environment, '$.host.name'),
    cpu = json_extract(environment, '$.host.cpu'),
    logical_cpus = json_extract(environment, '$.host.logical_cpus'),
    memory_bytes = json_extract(environment, '$.host.memory_bytes'),
    os = json_extract(environment, '$.host.os'),
    kernel = json_extract(environment, '$.host.kernel'),
    confinement = json_extract(environment, '$.confinement'),
    noise_floor = json_extract(environment, '$.noise_floor.ratio_spread'),
    noise_pairs = json_extract(environment, '$.noise_floor.pairs') WHERE run = new.run;
  INSERT INTO devices SELECT new.run, json_extract(value, '$.name'),
    json_extract(value, '$.backend'), json_extract(value, '$.model'),
    json_extract(value, '$.driver'), json_extract(value, '$.toolkit'),
    json_extract(value, '$.memory_bytes'), json_extract(value, '$.l2_bytes'),
    json_extract(value, '$.local_bytes'), json_extract(value, '$.compute_units'),
    json_extract(value, '$.clock_mhz'), json_extract(value, '$.launch_overhead_us'),
    json_extract(value, '$.peaks.fp32_operations_per_s'),
    json_extract(value, '$.peaks.fp64_operations_per_s'),
    json_extract(value, '$.peaks.fp32_rsqrt_per_s'),
    json_extract(value, '$.peaks.copy_bytes_per_s'),
    json_extract(value, '$.peaks.local_read_bytes_per_s')
  FROM json_each(new.environment, '$.devices') WHERE type = 'object';
END;

/*
 * From when the first run began, which run_id begins with (20261127T195942Z-HOST), to the last row.
 */
CREATE VIEW dates AS SELECT
    min(iif(run_id GLOB '????????T??????Z-*', substr(run_id, 1, 4) || '-' || substr(run_id, 5, 2)
      || '-' || substr(run_id, 7, 5) || ':' || substr(run_id, 12, 2) || ':'
      || substr(run_id, 14, 3), utc)) AS first, max(utc) AS last FROM rows;

/*
 * limit_s: the least time that the device's peaks allow for what a row computed: the operations of
 * each pair within the cutoff, once, or, beyond the last cache, reading positions and writing
 * forces once (harness/measure/one_case.c). Of forces alone. Rows that count their operations say
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
