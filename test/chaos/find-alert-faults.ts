import { databaseOn } from '../../db/timescale/connections/database.ts';
import { loadAssetEvidence } from '../../domain/alerts/conditions/load-asset-evidence.ts';
import { loadReaderEvidence } from '../../domain/alerts/conditions/load-reader-evidence.ts';
import { stretchesOf } from '../../domain/alerts/conditions/rule-kinds.ts';
import { loadRules } from '../../domain/alerts/rules/load-rules.ts';
import { isAlert } from '../../domain/moves/event.ts';
import { readMoves } from '../../domain/moves/read-moves.ts';
import type { TestDatabase } from '../support/database.ts';

/** What alerts of an organization are derived from. */
export interface Watched {
  orgId: number;
  assetIds: readonly number[];
  readerIds: readonly number[];
  /** When its rules began. */
  since: number;
}

/** Alerts that are stored and do not follow from the evidence there is by now, and those that do and are not stored. */
export async function findAlertFaults(database: TestDatabase, watched: Watched): Promise<string[]> {
  const { orgId, assetIds, readerIds, since } = watched;
  const db = databaseOn(database.pool);
  const rules = await loadRules(db, [orgId], since);
  const window = { since, until: Date.now() * 1_000 };
  const ofAssets = await loadAssetEvidence(db, orgId, rules, assetIds, window);
  const ofReaders = await loadReaderEvidence(db, orgId, readerIds, window);
  const wanted = rules.flatMap((rule) => {
    const { subjects, around } =
      rule.kind === 'reader'
        ? { subjects: ofReaders.readers, around: ofReaders.around }
        : { subjects: ofAssets.assets, around: ofAssets.around };
    return subjects.flatMap((subject) => {
      const id = 'readerId' in subject ? subject.readerId : subject.assetId;
      return stretchesOf([rule], subject, around).map(
        ({ since: opened, until: closed }) => `${rule.kind} ${id} from ${opened} to ${closed}`,
      );
    });
  });
  const rows = await database.rows<{ kind: string; id: number; opened: number; closed: number | null }>(
    `select kind, coalesce(asset_id, reader_id) as id, micros_of_time(opened_at) as opened,
       micros_of_time(closed_at) as closed
     from alerts where org_id = $1 and state <> 'withdrawn'`,
    [orgId],
  );
  const stored = rows.map(({ kind, id, opened, closed }) => `${kind} ${id} from ${opened} to ${closed}`);
  return [
    ...wanted.filter((each) => !stored.includes(each)).map((each) => `not stored: ${each}`),
    ...stored.filter((each, at) => !wanted.includes(each) || stored.indexOf(each) !== at),
  ];
}

/** Changes of alerts that the feed tells twice, or not at all. */
export async function findToldFaults(database: TestDatabase, orgId: number): Promise<string[]> {
  const told = new Map<string, string[]>();
  for (let after = 0; ; ) {
    const { events } = await readMoves({ ...databaseOn(database.pool), orgId }, { after, limit: 1_000 });
    for (const { data } of events.filter(isAlert)) {
      told.set(data.alert.id, [...(told.get(data.alert.id) ?? []), data.alert.state]);
    }
    if (events.length === 0) {
      break;
    }
    after = events.at(-1)?.data.position ?? after;
  }
  const stored = await database.rows<{ id: string; state: string }>(
    'select id, state from alerts where org_id = $1',
    [orgId],
  );
  const ids = new Set([...told.keys(), ...stored.map(({ id }) => id)]);
  return [...ids].flatMap((id) => {
    const states = told.get(id) ?? [];
    const isTold = states[0] === 'open' && states.at(-1) === stored.find((each) => each.id === id)?.state;
    const isOnce = states.every((state, at) => state !== states[at - 1]);
    return isTold && isOnce ? [] : [`${id} is told as ${states.join(', ')}`];
  });
}
