import { TAGTRAIL } from '../../base/typed-command.ts';
import { integers } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type FlappingArea, flappingAreas } from '../moves/flapping-areas.ts';
import { runTrial } from '../tracking/location/run-trial.ts';
import { recentPeriod } from '../tracking/location/try-on-assets.ts';
import { type Finding, isOf, warning } from './finding.ts';

/** The number of organizations to examine: those with the newest moves. */
const MOST_ORGANIZATIONS = 100;

/** Areas that strength is tried on, and of each the newest reads and milliseconds. */
const MOST_TRIALS = 3;
const MOST_SCANS = 50_000;
const MOST_MS = 3_000;

/** Other locations that are named. */
const MOST_NAMED = 5;

const BOUNDS = { scans: MOST_SCANS, assets: 5_000, moves: 0, pairs: 0, worst: 0 };

/**
 * Names areas between whose locations assets flap because several antennas hear them.
 *
 * @param orgId null for all; then it also computes what strength would have made of the recorded scans.
 */
export async function examineLocating(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const organizations = await db.any(sql.type(rowsOf<{ id: number; name: string }>())`
    select organization.id, organization.name
    from move_heads feed
    join organizations organization on organization.id = feed.org_id
    where organization.deleted_at is null and feed.sealed_at >= now() - interval '1 day'
      and ${isOf(sql.fragment`feed.org_id`, orgId)}
    order by feed.sealed_at desc limit ${MOST_ORGANIZATIONS}`);
  const findings: Finding[] = [];
  let trials = orgId === null ? MOST_TRIALS : 0;
  for (const { id, name } of organizations) {
    for (const area of await flappingAreas(db, id)) {
      const tried = trials > 0 ? await tryStrength(db, id, area) : null;
      trials -= 1;
      findings.push(await toFinding(db, { id, name }, area, tried));
    }
  }
  return findings;
}

async function tryStrength(db: Connection, orgId: number, { location_id: locationId }: FlappingArea) {
  const period = await recentPeriod(db, orgId, MOST_SCANS);
  const deciding = { procedure: 'strength' as const, certainty: null, tagDbm: null };
  const start = performance.now();
  const { inside } = await runTrial(db, { orgId, locationId, deciding, period, assetId: null }, BOUNDS, {
    isTimeUp: () => performance.now() - start > MOST_MS,
    onProgress: () => {},
  });
  return inside;
}

async function toFinding(
  db: Connection,
  { id, name }: { id: number; name: string },
  { location_id: locationId, pair, moves, returns, others }: FlappingArea,
  tried: Awaited<ReturnType<typeof tryStrength>> | null,
): Promise<Finding> {
  const shown = others.slice(0, MOST_NAMED);
  const named = await db.any(sql.type(rowsOf<{ id: number; external_key: string }>())`
    select id, external_key from locations
    where org_id = ${id} and id = any (${sql.binary(integers([...pair, ...shown, locationId ?? 0]))}::integer[])`);
  const keyOf = (location: number) => named.find((each) => each.id === location)?.external_key ?? location;
  const of = `--org ${id}${locationId === null ? '' : ` --location ${keyOf(locationId)}`}`;
  const wouldBe =
    tried === null
      ? ''
      : `; ${tried.kept + tried.redated + tried.removed} recorded moves would have been ${tried.kept + tried.redated + tried.added} by strength`;
  const also =
    others.length === 0
      ? ''
      : `, which also changes the moves of ${shown.map(keyOf).join(', ')}${others.length > shown.length ? ` and ${others.length - shown.length} more` : ''}`;
  return warning(
    'locating',
    `Organization ${id} (${name}): assets seem to go to and fro between ${keyOf(pair[0])} and ${keyOf(pair[1])}, as both hear them: ` +
      `${returns} of ${moves} moves within a day were back within 30 seconds${wouldBe}`,
    `Decide by strength${also}: ${TAGTRAIL} locate set ${of} --by strength; first look with locate try`,
    { what: 'decide_by_strength', id: null },
  );
}
