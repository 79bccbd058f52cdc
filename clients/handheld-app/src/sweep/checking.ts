import type { ScanResult } from '../gateway/answers.ts';
import type { GatewayClient } from '../gateway/client.ts';
import { type Database, STRICT } from '../storage/database.ts';
import { findKnown } from '../storage/known.ts';
import { type StoredScan, withResult } from '../storage/scan.ts';
import type { Sweep } from './sweep.ts';

/** Tags that are asked for at a time: an RFID sled reads hundreds, and the gateway's patience has an end. */
const MOST_ASKED = 50;

/**
 * Asks the gateway about scans of a checking sweep that the device does not know to belong here. The answers are stored
 * with the scans, which are not sent.
 *
 * @returns whether anything changed.
 */
export async function askAboutHeld(
  database: Database,
  gateway: GatewayClient,
  token: string,
  sweep: Sweep,
): Promise<boolean> {
  const expected = new Set(sweep.expected?.map(({ id }) => id));
  const scans = (await database.getAllFromIndex('scans', 'sweep', sweep.id)).filter(
    ({ state, result, sets }) => state === 'held' && result === null && sets === null,
  );
  const known = await findKnown(database, scans);
  const open = scans.filter((_, index) => !expected.has(known[index]?.asset.id ?? 0));
  const byTag = Map.groupBy(open, ({ tag_type, value, guessed }) =>
    JSON.stringify([tag_type, value, guessed]),
  );
  let isNews = false;
  for (const same of [...byTag.values()].slice(0, MOST_ASKED)) {
    const [first] = same;
    const answer = await (first === undefined ? null : gateway.behind(token, first));
    if (answer?.kind === 'ok' || (answer?.kind === 'refused' && answer.status === 404)) {
      const result = answer.kind === 'ok' ? answer.data : UNKNOWN;
      await storeResult(database, same, result);
      isNews = true;
    } else if (answer?.kind !== 'refused') {
      break;
    }
  }
  return isNews;
}

const UNKNOWN: ScanResult = { status: 'unknown', asset: null, location: null, from: null };

async function storeResult(
  database: Database,
  scans: readonly StoredScan[],
  result: ScanResult,
): Promise<void> {
  const transaction = database.transaction('scans', 'readwrite');
  for (const { seq } of scans) {
    const scan = await transaction.store.get(seq);
    if (scan?.state === 'held') {
      await transaction.store.put(withResult(scan, result));
    }
  }
  await transaction.done;
}

/** Queues what a sweep that only checks has found of these assets: it moves here when it is sent. */
export async function moveHere(database: Database, sweep: Sweep, assets: ReadonlySet<number>): Promise<void> {
  const scans = await database.getAllFromIndex('scans', 'sweep', sweep.id);
  const known = await findKnown(database, scans);
  const transaction = database.transaction('scans', 'readwrite', STRICT);
  for (const [index, { seq }] of scans.entries()) {
    const scan = await transaction.store.get(seq);
    const asset = scan?.result?.asset ?? known[index]?.asset;
    if (scan?.state === 'held' && asset !== undefined && assets.has(asset.id)) {
      await transaction.store.put({ ...scan, state: 'queued', result: null });
    }
  }
  await transaction.done;
}
