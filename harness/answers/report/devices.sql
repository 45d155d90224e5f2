/*
 * The fastest correct variant of each card at each N of each setting that cards share. A setting is
 * all that identifies a case but N, variant and tunables; `card` names the backend of a
 * card that two backends ran.
 */

CREATE TABLE timed AS SELECT device_model AS model,
    device_model || iif(backend = 'opencl' AND
      device_model IN (SELECT device_model FROM rows WHERE backend = 'cuda'), ' (opencl)', '')
      AS card,
    workload || ', ' || iif(instr(interaction, ':'),
      substr(interaction, 1, instr(interaction, ':') - 1), coalesce(interaction, '')) || ', ' ||
      outputs || ', ' || coalesce(box_kind, '') ||
      iif(periodic = 0, ', open', '') || coalesce(', periodic ' || axes, '') ||
      coalesce(', density ' || round(density, 5), '') ||
      coalesce(', ' || iif(cutoff > 1e300, 'no cutoff', 'cutoff ' || round(cutoff, 5)), '') ||
      ', ' || precision AS setting,
    setting || iif(box_kind = 'file', box_hash, '') AS others, n, variant, force_s_median AS s
  FROM keyed WHERE status = 'ok' AND twin IS NOT 1 AND force_s_median > 0
    AND device_model IS NOT NULL;

CREATE TABLE fastest AS WITH
  variants AS (SELECT model, card, setting, others, n, variant, min(s) AS s FROM timed
    GROUP BY card, setting, others, n, variant),
  ranked AS (SELECT *, row_number() OVER race AS rank, lead(variant) OVER race AS next,
      lead(s) OVER race AS next_s FROM variants
    WINDOW race AS (PARTITION BY card, setting, others, n ORDER BY s))
  SELECT *, min(s) OVER place AS least_s,
    min(model) OVER place <> max(model) OVER place AS is_shared
  FROM ranked WHERE rank = 1 WINDOW place AS (PARTITION BY setting, others, n);

/* Where cards share nothing, as one card alone, all settings. */
CREATE TABLE shared AS SELECT * FROM fastest
  WHERE is_shared OR NOT EXISTS (SELECT 1 FROM fastest WHERE is_shared);

/* Cards from the fastest on; settings by how many cards have them. */
CREATE TABLE cards AS SELECT card, row_number() OVER (ORDER BY avg(s / least_s), card) AS place
  FROM shared GROUP BY card;
CREATE TABLE places AS SELECT setting, others, row_number() OVER
    (ORDER BY count(DISTINCT card) DESC, count(DISTINCT n) DESC, setting, others) AS place
  FROM shared GROUP BY setting, others;

/* What each card is; the best that was measured in any run. */
CREATE TABLE known AS SELECT device_model AS model, max(compute_units) AS units,
    max(clock_mhz) AS clock_mhz, max(copy_bytes_per_s) AS copied,
    max(fp32_operations_per_s) AS fp32, max(fp64_operations_per_s) AS fp64
  FROM devices WHERE device_model IS NOT NULL GROUP BY 1;
