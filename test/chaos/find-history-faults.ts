import type { ClientBase } from 'pg';
import type { Sighting, Transition } from '../../domain/tracking/history/history.ts';
import { outcomeOf, type ReaderScan, type Setting } from '../../simulation/location/oracle.ts';
import { historyByDefinition } from '../support/sightings.ts';

/** Compares transitions and positions with what the rule, written down plainly, makes of the raw scans. */
export async function findHistoryFaults(
  client: ClientBase,
  assets: number,
): Promise<{ wrongTransitions: number; wrongPositions: number }> {
  const faults = { wrongTransitions: 0, wrongPositions: 0 };
  const settings = (await client.query<Setting>(SETTINGS)).rows;
  const ids = (await client.query<{ id: number }>('select id from assets order by id')).rows;
  for (let first = 0; first < assets; first += ASSETS_AT_ONCE) {
    const page = ids.slice(first, first + ASSETS_AT_ONCE).map(({ id }) => id);
    const scans = byAsset((await client.query<Scan>(SCANS, [page])).rows);
    const transitions = byAsset((await client.query<Transition & Owned>(TRANSITIONS, [page])).rows);
    const positions = byAsset((await client.query<Position>(POSITIONS, [page])).rows);
    for (const id of page) {
      const sightings = scans.get(id) ?? [];
      const history =
        settings.length === 0 ? historyByDefinition(sightings) : provenHistory(sightings, settings);
      faults.wrongTransitions += differences(history.map(nameOf), (transitions.get(id) ?? []).map(nameOf));
      const [position] = positions.get(id) ?? [];
      faults.wrongPositions += isThatOf(position, history, sightings) ? 0 : 1;
    }
  }
  return faults;
}

interface Owned {
  assetId: number;
}

interface Scan extends Sighting, Owned, Pick<ReaderScan, 'readerId' | 'antenna' | 'tagType' | 'tagValue'> {}

interface Position extends Owned {
  locationId: number | null;
  since: number | null;
  lastSeen: number | null;
}

const ASSETS_AT_ONCE = 50;

const SETTINGS = `select location_id as "locationId", micros_of_time(valid_from) as "from", procedure as by, certainty,
    tag_dbm as "tagDbm" from location_settings order by id`;

const SCANS = `select asset_id as "assetId", location_id as "locationId", micros_of_time(observed_at) as "observedAt",
    rssi, reader_id as "readerId", antenna, tag_type as "tagType", tag_value as "tagValue"
  from scan_events where asset_id = any ($1) and retraction_id is null`;

const TRANSITIONS = `select asset_id as "assetId", location_id as "locationId",
    micros_of_time(observed_at) as "observedAt", duration_seconds as "durationSeconds"
  from location_transitions where asset_id = any ($1) order by asset_id, observed_at`;

const POSITIONS = `select asset_id as "assetId", location_id as "locationId", micros_of_time(since) as since,
    micros_of_time(last_seen) as "lastSeen" from positions where asset_id = any ($1)`;

/** Of locations without parents and antennas as they usually are. */
function provenHistory(scans: readonly Scan[], settings: readonly Setting[]): Transition[] {
  const reads = scans.map((scan) => ({
    kind: 'read' as const,
    ...{ at: scan.observedAt, locationId: scan.locationId, rssi: scan.rssi },
    ...{ readerId: scan.readerId, antenna: scan.antenna, tagType: scan.tagType, tagValue: scan.tagValue },
  }));
  const { history } = outcomeOf(reads, { parents: new Map(), settings, antennas: [], plans: [] });
  return history.map(({ at, locationId, durationSeconds }) => ({
    observedAt: at,
    locationId,
    durationSeconds,
  }));
}

const byAsset = <Row extends Owned>(rows: readonly Row[]) => Map.groupBy(rows, ({ assetId }) => assetId);

const nameOf = ({ observedAt, locationId, durationSeconds }: Transition) =>
  `${observedAt} ${locationId} ${durationSeconds}`;

/** How many are in one of the lists and not in the other. */
function differences(expected: readonly string[], stored: readonly string[]): number {
  return new Set(expected).symmetricDifference(new Set(stored)).size;
}

function isThatOf(
  position: Position | undefined,
  history: readonly Transition[],
  sightings: readonly Sighting[],
): boolean {
  const last = history.at(-1);
  if (last === undefined) {
    return position === undefined || position.locationId === null;
  }
  const lastSeen = sightings.reduce((latest, { observedAt }) => Math.max(latest, observedAt), 0);
  return (
    position?.locationId === last.locationId &&
    position.since === last.observedAt &&
    position.lastSeen === lastSeen
  );
}
