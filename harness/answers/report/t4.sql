/*
 * The rows as results of T4, the format that auto-tuners share: the Open Autotuning Results Schema
 * of github.com/odgaard/TuningSchema, of which github.com/KernelTuner/kernel_tuner has version
 * 1.0.0 in kernel_tuner/schema/T4. Times are in ms, as Kernel Tuner has
 * them: the samples of a row where there are some, else the medians of its visits, else its own.
 */

CREATE TABLE runtimes AS
  SELECT run, case_id, device, repetition, 0 AS rank, json_group_array(1e3 * seconds) AS ms
    FROM (SELECT * FROM samples WHERE cache = 'hot' ORDER BY file_line) GROUP BY 1, 2, 3, 4
  UNION ALL SELECT run, case_id, device, repetition, 1, json_group_array(1e3 * force_s_median)
    FROM (SELECT * FROM visits WHERE force_s_median > 0 ORDER BY file_line) GROUP BY 1, 2, 3, 4
  UNION ALL SELECT run, case_id, device, repetition, 2, json_array(1e3 * force_s_median)
    FROM rows WHERE force_s_median > 0;
CREATE INDEX runtimes_of_case ON runtimes(case_id);

/* What a row measured, one per line. */
CREATE VIEW measured AS SELECT run, line, 1 AS place, 'time' AS name, 1e3 * force_s_median AS value,
    'ms' AS unit FROM rows
  UNION ALL SELECT run, line, 2, 'build_time', 1e3 * build_s_median, 'ms' FROM rows
  UNION ALL SELECT run, line, 3, 'energy', energy_j, 'J' FROM rows
  UNION ALL SELECT run, line, 4, 'pairs_per_s', pairs_per_s, '1/s' FROM rows
  UNION ALL SELECT run, line, 5, 'percent_of_peak', percent_of_peak, '%' FROM rows
  UNION ALL SELECT run, line, 6, 'error_over_tolerance', worst_ratio, '' FROM rows;
CREATE TABLE measurements AS SELECT run, line,
    json_group_array(json_object('name', name, 'value', value, 'unit', unit)) AS list
  FROM (SELECT * FROM measured WHERE value IS NOT NULL AND abs(value) < 1e300
    ORDER BY run, line, place)
  GROUP BY run, line;

/* A=1 B=2 as members. */
CREATE VIEW tuned AS SELECT *,
    '{"' || replace(replace(tunables, '=', '":'), ' ', ',"') || '}' AS members
  FROM rows WHERE twin IS NOT 1;

CREATE VIEW t4 AS SELECT json_object(
    'timestamp', coalesce(utc, ''),
    'configuration', json_patch(json_object('variant', variant, 'precision', precision,
        'workload', workload, 'interaction', interaction, 'outputs', outputs, 'box_kind', box_kind,
        'n', CAST(n AS INTEGER), 'density', density, 'cutoff', iif(cutoff > 1e300, 'none', cutoff),
        'device', device_model, 'backend', backend),
      iif(json_valid(members), members, json_object('tunables', tunables))),
    'times', json_object('runtimes', json(coalesce((SELECT ms FROM runtimes AS t
        WHERE t.case_id = r.case_id AND t.run = r.run AND t.device IS r.device
          AND t.repetition IS r.repetition ORDER BY rank LIMIT 1), '[]'))),
    'invalidity', CASE status WHEN 'ok' THEN 'correct' WHEN 'compile_error' THEN 'compile'
        WHEN 'timeout' THEN 'timeout' WHEN 'unsupported' THEN 'constraints'
        WHEN 'wrong' THEN 'correctness' WHEN 'stale' THEN 'correctness' ELSE 'runtime' END,
    'correctness', CAST(status = 'ok' AS INTEGER),
    'measurements', json(coalesce((SELECT list FROM measurements AS m
        WHERE m.run = r.run AND m.line = r.line), '[]')),
    'objectives', json_array('time')) AS result FROM tuned AS r ORDER BY run, line;
