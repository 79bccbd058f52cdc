import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { ListedAsset, Submission } from '../gateway/answers.ts';
import type { KnownAsset } from './known-asset.ts';
import type { StoredScan } from './scan.ts';

/** A submission under way: `ready` to be sent, whether or not it was before, or `refused` for good. */
export interface StoredSubmission {
  submission_id: string;
  submission: Submission;
  state: 'ready' | 'refused';
  reason: string | null;
  status: number | null;
}

export interface StoredList {
  location_id: number;
  fetched_at: string;
  assets: ListedAsset[];
}

interface Schema extends DBSchema {
  scans: {
    key: number;
    value: StoredScan;
    indexes: { state: string; submission_id: string; sweep: string };
  };
  submissions: { key: string; value: StoredSubmission; indexes: { state: string } };
  lists: { key: number; value: StoredList };
  known: { key: string; value: KnownAsset };
  /** Single values by name: token, walk, tree, sweep, settings, assets, and each finished sweep that is not sent. */
  kept: { key: string; value: unknown };
}

/** On the disk, not only on its way there: a scan's sound promises that. */
export const STRICT = { durability: 'strict' } as const;

export type Database = IDBPDatabase<Schema>;

export function openDatabase(): Promise<Database> {
  return openDB<Schema>('tagtrail', 1, {
    upgrade(database) {
      const scans = database.createObjectStore('scans', { keyPath: 'seq', autoIncrement: true });
      scans.createIndex('state', 'state');
      scans.createIndex('submission_id', 'submission_id');
      scans.createIndex('sweep', 'sweep');
      const submissions = database.createObjectStore('submissions', { keyPath: 'submission_id' });
      submissions.createIndex('state', 'state');
      database.createObjectStore('lists', { keyPath: 'location_id' });
      database.createObjectStore('known');
      database.createObjectStore('kept');
    },
    blocking(_from, _to, event) {
      // A newer version of the app in another tab wants to change the schema: it cannot while this one holds on.
      (event.target as IDBDatabase).close();
    },
  });
}
