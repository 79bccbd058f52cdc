import { byTurns } from '../../../base/by-turns.ts';
import { leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { coveredTimes } from './covered-times.ts';
import { coveredGaps, learnedGap } from './learned-gap.ts';
import { loadGaps } from './load-gaps.ts';
import { loadEvidence } from './load-places.ts';
import { holdLatestWatch, MOST_LEARNED } from './stored-watches.ts';

interface Place {
  orgId: number;
  locationId: number;
}

/** Locations are looked for so often. */
const LOOK_EVERY: Micros = 300 * MICROS_PER_SECOND;

/** How often a location is learned again, and how often one without a result yet. */
const LEARN_EVERY = { known: 6 * 3_600 * MICROS_PER_SECOND, unknown: LOOK_EVERY };

/** A location where nothing could be learned; it is tried again with the others. */
interface GapFault extends Place {
  error: unknown;
}

/**
 * Learns, repeatedly, how often things are read at locations without a set gap, one location per turn. Organizations
 * take turns, so one with many locations, or with some where it fails, does not delay the others.
 */
export class GapLearner {
  readonly #onFault: (fault: GapFault) => void;
  #due: Place[] = [];
  #lookAt: Micros = Number.NEGATIVE_INFINITY;
  /** When each was learned, by location. */
  #learned = new Map<number, Micros>();

  constructor(onFault: (fault: GapFault) => void = () => {}) {
    this.#onFault = onFault;
  }

  /** @returns false if none was due. */
  async turn(pool: Pool, now: Micros): Promise<boolean> {
    if (this.#lookAt <= now) {
      const found = await findLearned(pool);
      this.#learned = new Map(found.map(({ locationId: id }) => [id, this.#learned.get(id) ?? 0]));
      const learnedAt = (id: number) => this.#learned.get(id) ?? 0;
      this.#due = byTurns(
        found
          .filter(
            ({ locationId: id, isKnown }) =>
              learnedAt(id) + LEARN_EVERY[isKnown ? 'known' : 'unknown'] <= now,
          )
          .sort((one, other) => learnedAt(one.locationId) - learnedAt(other.locationId)),
        ({ orgId }) => orgId,
      );
      this.#lookAt = now + LOOK_EVERY;
    }
    const next = this.#due.shift();
    if (next !== undefined) {
      this.#learned.set(next.locationId, now);
      await learnGap(pool, next, now).catch((error) => this.#onFault({ ...next, error }));
    }
    return next !== undefined;
  }
}

/**
 * Learns how often things are read at a location, from now on. A difference below a tenth is ignored, and settings made
 * meanwhile stay.
 */
async function learnGap(pool: Pool, { orgId, locationId }: Place, now: Micros): Promise<void> {
  const gaps = await loadGaps(pool, orgId, locationId);
  const window = { since: leastOf([now, ...gaps.longest.map(({ since }) => since)]), until: now };
  const evidence = (await loadEvidence(pool, orgId, [locationId], window, [])).get(locationId);
  const learned =
    evidence === undefined ? null : learnedGap(coveredGaps(gaps, coveredTimes(evidence, window)));
  if (learned === null) {
    return;
  }
  const seconds = learned / MICROS_PER_SECOND;
  await inTransaction(pool, async (transaction) => {
    const before = await holdLatestWatch(transaction, { orgId, locationId });
    const known = before?.max_gap_seconds ?? null;
    if (before !== null && (known === null || Math.abs(seconds - known) >= known / 10)) {
      await transaction.exec(sql.type(NO_ROWS)`
        insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
        select org_id, location_id, greatest(clock_timestamp(), valid_from + interval '1 microsecond'), mode,
          ${seconds}::integer, true, coverage
        from (
          select * from location_watches
          where org_id = ${orgId} and location_id = ${locationId} order by valid_from desc limit 1
        ) latest
        where is_learned and (
          select count(*) from location_watches where org_id = ${orgId} and location_id = ${locationId}
        ) < ${MOST_LEARNED}`);
    }
  });
}

/** Live locations last set to be watched continuously, without a gap that was set. */
async function findLearned(db: Connection): Promise<(Place & { isKnown: boolean })[]> {
  const rows = await db.any(sql.prepared(
    'find-learned-gaps',
    rowsOf<{ org_id: number; location_id: number; is_known: boolean }>(),
  )`
    select location.org_id, location.id as location_id, latest.max_gap_seconds is not null as is_known
    from locations location
    join organizations organization on organization.id = location.org_id and organization.deleted_at is null
    cross join lateral (
      select max_gap_seconds, is_learned from location_watches watch
      where watch.org_id = location.org_id and watch.location_id = location.id
      order by valid_from desc limit 1
    ) latest
    where location.deleted_at is null and latest.is_learned
    order by location.org_id, location.id`);
  return rows.map(({ org_id: orgId, location_id: locationId, is_known: isKnown }) => ({
    ...{ orgId, locationId, isKnown },
  }));
}
