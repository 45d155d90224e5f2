/*
 * The questions of the article that the preset `article` measures. What stands before the first
 * line that begins with "--" makes tables; each question after it is its words, on such lines, and
 * the query that answers it: ratio, low, high (NULL: too few samples), words. A question is asked
 * of runs of forces, of whole steps, or of both, as its first line says.
 *
 * turned(tunable, words_a, from, words_b, to): whether the tunables "A=1 B=2" differ in that one
 * alone, which has these values (NULL: any, or none). drops_check(cells_per_cutoff, n, density,
 * cutoff): whether every two particles of a cell of a cubic box are within the cutoff.
 * rank_of_tail(count): see summary_questions.c. spelled(interaction, table): as rows spell it.
 */

/* A case has rows, all of which are ok, and no repeat among them: that is a case of its own, and no
 * result. `sorted` orders the samples of a case by time, from 1. */
CREATE TABLE timed AS WITH
  passed AS (SELECT case_id, coalesce(device, '') AS unit, max(rowid) AS id FROM rows
    GROUP BY 1, 2 HAVING min(status IS 'ok' AND twin IS NOT 1) = 1),
  hot AS MATERIALIZED (SELECT case_id, coalesce(device, '') AS unit, seconds,
    row_number() OVER (PARTITION BY device, case_id ORDER BY seconds) AS sorted
    FROM samples WHERE cache = 'hot'),
  counted AS MATERIALIZED (SELECT case_id, unit, count(*) AS count, rank_of_tail(count(*)) AS rank
    FROM hot GROUP BY 1, 2)
  SELECT row_number() OVER (ORDER BY unit, counted.case_id) AS place, percentile(seconds, 50) AS median_s,
    max(seconds) FILTER (WHERE sorted = rank) AS low_s,
    max(seconds) FILTER (WHERE sorted = count - rank + 1) AS high_s,
    n, density, cutoff, coalesce(tunables, '') AS tunables, coalesce(outputs, '') AS outputs,
    coalesce(interaction, '') AS interaction, coalesce(variant, '') AS variant, box_kind, periodic,
    precision, rows.device, coalesce(host, '') || char(10) || coalesce(rows.device, '') || char(10)
    || coalesce(workload, '') || char(10) || coalesce(box_hash, '') || char(10)
    || coalesce(precision, '') || char(10) || coalesce(cutoff, '') AS setting
  FROM counted JOIN passed USING (case_id, unit) JOIN hot USING (case_id, unit)
    JOIN rows ON rows.rowid = id GROUP BY unit, counted.case_id;

/* The article's interaction, in three forms that give the same forces: with constants compiled in;
 * with lj's parameters from a table of types, the same for every pair; with that table, and
 * functions that are there for no pair. */
CREATE TABLE forms AS SELECT column1 AS name, spelled(column2, column3) AS words FROM (VALUES
  ('compiled in', 'lj+ewald-real:epsilon=0.0103,sigma=3.405,alpha=0.5,coulomb=14.399645', NULL),
  ('by table', 'lj+ewald-real:alpha=0.5,coulomb=14.399645', 'built-in:share/presets/salt.csv'),
  ('by branch', 'lj+buckingham+born-mayer-huggins+ewald-real:alpha=0.5,coulomb=14.399645',
    'built-in:share/presets/salt.csv'));

/* Two cases of one variant in one setting. */
CREATE VIEW pairs AS SELECT b.median_s / a.median_s AS ratio, b.low_s / a.high_s AS low,
    b.high_s / a.low_s AS high, b.variant || ', N = ' || CAST(b.n AS INTEGER) || ', ' || b.tunables
    || ', ' || coalesce(b.precision, '') || ' on ' || coalesce(b.device, '') AS words,
    a.tunables AS a, b.tunables AS b, a.outputs AS a_outputs, b.outputs AS b_outputs,
    a.interaction AS a_interaction, b.interaction AS b_interaction,
    a.n, a.density, a.cutoff, a.box_kind, a.periodic, a.place AS a_place, b.place AS b_place
  FROM timed AS a JOIN timed AS b USING (setting, variant) ORDER BY a_place, b_place;
CREATE VIEW turns AS SELECT * FROM pairs
  WHERE a_outputs = b_outputs AND a_interaction = b_interaction ORDER BY a_place, b_place;
CREATE VIEW forms_of AS SELECT pairs.*, a_form.name AS a_form, b_form.name AS b_form FROM pairs
  JOIN forms AS a_form ON a_form.words = a_interaction
  JOIN forms AS b_form ON b_form.words = b_interaction WHERE a_outputs = b_outputs
  ORDER BY a_place, b_place;

/* The fastest of each variant, forces alone, and of cell_pairs_two_pass at each group size. */
CREATE VIEW fastest AS SELECT *,
    max(size = '1') OVER (PARTITION BY setting, interaction) AS has_first, /* else not measured */
    row_number() OVER (PARTITION BY setting, interaction, variant, size ORDER BY median_s, place)
      AS rank
  FROM (SELECT *, CASE variant WHEN 'cell_pairs_two_pass' THEN tunable(tunables, 'PAIRS_PER_GROUP')
    END AS size FROM timed WHERE outputs = 'forces'
    AND variant IN ('all_pairs_half', 'cell_pairs_two_pass'));

-- forces: cell_pairs_two_pass / all_pairs_half, several pairs of cells a group, each at its fastest group size
--   the article, at about 1400 particles and 6 angstrom: about 2 with one pair, about 1 with 8 or 16
--   measured here, cells built beforehand:
SELECT b.median_s / a.median_s, b.low_s / a.high_s, b.high_s / a.low_s,
    'PAIRS_PER_GROUP ' || b.size || ', N = ' || CAST(b.n AS INTEGER) || ', '
    || coalesce(b.precision, '') || ' on ' || coalesce(b.device, '') || ': ' || b.tunables
    || ' against ' || a.tunables
  FROM fastest AS a JOIN fastest AS b USING (setting, interaction)
  WHERE a.variant = 'all_pairs_half' AND a.rank = 1 AND b.rank = 1 AND b.has_first
    AND b.size IN ('1', '2', '4', '8', '16') ORDER BY a.place, CAST(b.size AS INTEGER);

-- both: forces with energy / forces alone
SELECT ratio, low, high, words FROM pairs WHERE a_outputs = 'forces' AND b_outputs = 'energy'
  AND a = b AND a_interaction = b_interaction;

-- both: forces with energy and virial / forces alone
SELECT ratio, low, high, words FROM pairs WHERE a_outputs = 'forces' AND b_outputs = 'virial'
  AND a = b AND a_interaction = b_interaction;

-- forces: repeated loads left to the compiler / staged in registers
SELECT ratio, low, high, words FROM turns WHERE turned('STAGE_LOADS', a, '1', b, '0');

-- forces: a table of types in constant memory / read from global memory
SELECT ratio, low, high, words FROM turns WHERE turned('TYPE_TABLE', a, '0', b, '1');

-- forces: a table of types copied to local memory by each group / read from global memory
SELECT ratio, low, high, words FROM turns WHERE turned('TYPE_TABLE', a, '0', b, '2');

-- forces: lj's parameters from a table of types / compiled in, the same numbers
SELECT ratio, low, high, words FROM forms_of WHERE a_form = 'compiled in' AND b_form = 'by table'
  AND turned('TYPE_TABLE', a, NULL, b, '0');

-- forces: lj chosen among three functions by run-time branches / the only function, both from that table,
-- which names lj for every pair of types
SELECT ratio, low, high, words FROM forms_of WHERE a_form = 'by table' AND b_form = 'by branch'
  AND turned('TYPE_TABLE', a, '0', b, '0');

-- forces: lj chosen by run-time branches, from the table / compiled in
SELECT ratio, low, high, words FROM forms_of WHERE a_form = 'compiled in' AND b_form = 'by branch'
  AND turned('TYPE_TABLE', a, NULL, b, '0');

-- forces: distance check inside a cell dropped / kept, where its diagonal is within the cutoff
SELECT ratio, low, high, words FROM turns WHERE turned('INNER_CHECK', a, '1', b, '0')
  AND box_kind NOT IN ('file', 'brick', 'plate') AND periodic = 1
  AND drops_check(tunable(a, 'CELLS_PER_CUTOFF'), n, density, cutoff);

-- steps: wrapping into the cell by floor / by branches
SELECT ratio, low, high, words FROM turns WHERE turned('WRAP', a, '0', b, '1');

-- steps: faces crossed are counted / are not
SELECT ratio, low, high, words FROM turns WHERE turned('COUNT_CROSSINGS', a, '0', b, '1');

-- steps: particles and momenta summed by type and face / crossings counted per particle
SELECT ratio, low, high, words FROM turns WHERE turned('COUNT_CROSSINGS', a, '1', b, '2');

-- steps: two particles per work-item of the integrator / one
SELECT ratio, low, high, words FROM turns WHERE turned('PARTICLES_PER_ITEM', a, '1', b, '2');

-- steps: four particles per work-item of the integrator / one
SELECT ratio, low, high, words FROM turns WHERE turned('PARTICLES_PER_ITEM', a, '1', b, '4');

-- steps: velocities loaded at each use, by the integrator / kept in registers
SELECT ratio, low, high, words FROM turns WHERE turned('STAGE_VELOCITIES', a, '1', b, '0');

-- steps: numbers of a step in a struct by value / in arguments
SELECT ratio, low, high, words FROM turns WHERE turned('PARAMETERS', a, '0', b, '1');

-- steps: numbers of a step in constant memory / in arguments
SELECT ratio, low, high, words FROM turns WHERE turned('PARAMETERS', a, '0', b, '2');

-- steps: cells filled in the first half of the step / built apart
SELECT ratio, low, high, words FROM turns WHERE turned('FILL_CELLS', a, '0', b, '1');

-- steps: cell of a particle looked up in a table per axis / found by arithmetic
SELECT ratio, low, high, words FROM turns WHERE turned('CELL_LOOKUP', a, '0', b, '8');

-- steps: factor of a thermostat worked out by every work-item / by one
SELECT ratio, low, high, words FROM turns WHERE turned('FACTOR_BY_ALL', a, '0', b, '1');
