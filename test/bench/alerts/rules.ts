import type pg from 'pg';
import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../../base/instant.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { createRule, type NewRule } from '../../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import type { Installation } from '../ingest/installation.ts';
import { ANTENNAS, READERS } from '../ingest/site.ts';
import type { AlertOptions } from './options.ts';

const MINUTE = 60 * MICROS_PER_SECOND;
const DAY = MICROS_PER_DAY;
const locationKey = (location: number) => `LOC-${String(location).padStart(4, '0')}`;
const assetKey = (asset: number) => `ASSET-${String(asset).padStart(7, '0')}`;

/** Where assets are sent to find out when that is told: at two antennas of the last reader. */
export const FORBIDDEN = { antenna: ANTENNAS, location: locationKey(READERS * ANTENNAS) };
export const BRIEF = {
  antenna: ANTENNAS - 1,
  location: locationKey(READERS * ANTENNAS - 1),
  after: 2 * MICROS_PER_SECOND,
};
export const PROBED = 'Probe';

/** Some that are at the last reader to begin with, by number; a fiftieth of those of 100,000. */
export const PROBES: readonly number[] = Array.from(
  { length: 100 },
  (_, index) => READERS - 1 + index * READERS,
);

/** Of every asset's temperature, which some of them have beyond the bound. */
const OF_READINGS = Array.from({ length: 20 }, (_, index) => ({
  ...{ kind: 'reading' as const, reading: 'temperature_c' as const, above: 8 + index / 20 },
}));

/**
 * Twenty: about what is not read, stays, comes, and is away; most are true of few assets.
 *
 * @param areManyAlerted the last two are about all assets, and not about those of which they are meant to be true.
 */
export async function setRules(
  { client, site }: Installation,
  { areManyAlerted, readings }: Pick<AlertOptions, 'areManyAlerted' | 'readings'>,
): Promise<void> {
  const { rows } = await client.query<{ id: number }>('select id from organizations');
  const orgId = rows[0]?.id ?? 0;
  const pool = createWritePool(site.url, { max: 1 });
  const named = (first: number) => Array.from({ length: 100 }, (_, index) => assetKey(first + index));
  const probed = areManyAlerted ? {} : { assetExternalKeys: PROBES.map((asset) => assetKey(1 + asset)) };
  const rules: Omit<NewRule, 'orgId'>[] = [
    ...Array.from({ length: 9 }, (_, index) => ({
      ...{ kind: 'overdue' as const, after: (30 + index) * MINUTE, thenAfter: (90 + index) * MINUTE },
      withinLocationExternalKey: index < 5 ? locationKey(1 + index) : null,
    })),
    ...[1, 2, 3].map((location) => ({
      ...{ kind: 'dwell' as const, locationExternalKey: locationKey(location) },
      ...{ after: 20 * DAY, thenAfter: 25 * DAY },
    })),
    ...[4, 5, 6].map((location) => ({
      ...{ kind: 'not_allowed' as const, locationExternalKey: locationKey(location) },
      assetExternalKeys: named(100 * location),
    })),
    ...[7, 8, 9].map((location) => ({
      ...{ kind: 'must_be' as const, locationExternalKey: locationKey(location), after: 30 * MINUTE },
      ...{
        hours: 'Mon-Fri 07:00-18:00',
        timeZone: 'Europe/Berlin',
        assetExternalKeys: named(100 * location),
      },
    })),
    { kind: 'not_allowed', name: PROBED, locationExternalKey: FORBIDDEN.location, ...probed },
    { kind: 'dwell', name: PROBED, locationExternalKey: BRIEF.location, after: BRIEF.after, ...probed },
  ];
  for (const rule of readings > 0 ? OF_READINGS : rules) {
    await createRule(databaseOn(pool), TEST_ACTOR, Date.now() * 1_000, { orgId, ...rule });
  }
  await pool.end();
}

/** Until a turn left nothing to derive of what is recorded by now. */
export async function untilDerived(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  const isDone = async () =>
    (
      await client.query(
        `select from alert_derivation where caught_up_at > $1::timestamptz + interval '2 seconds'
           and not exists (select from alert_revisions)`,
        [rows[0]?.now],
      )
    ).rowCount === 1;
  while (!(await isDone())) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
