import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { integers } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Jobs of a worker with any settings, and the locks that their sessions hold. */
export const JOBS_OF_EVERY_WORKER: ReadonlyMap<string, number> = new Map([
  ['seal-moves', ADVISORY_LOCKS.sealing],
  ['derive-silences', ADVISORY_LOCKS.silences],
  ['learn-gaps', ADVISORY_LOCKS.gaps],
  ['derive-alerts', ADVISORY_LOCKS.alerts],
  ['retain', ADVISORY_LOCKS.retention],
  ['recompute-histories', ADVISORY_LOCKS.recomputing],
  ['renew-keys', ADVISORY_LOCKS.renewingKeys],
  ['record-captures', ADVISORY_LOCKS.captures],
]);

/** Seconds within which a worker with some jobs takes over the others. */
const TAKEOVER = 3;

/** Checks whether a worker does the work in the background. */
export async function examineJobs(db: Connection): Promise<Finding> {
  let missing = await findMissing(db);
  const isNone = missing.length === JOBS_OF_EVERY_WORKER.size;
  for (let second = 0; second < TAKEOVER && missing.length > 0 && !isNone; second++) {
    await db.any(sql.type(rowsOf<object>())`select pg_sleep(1)`);
    missing = await findMissing(db);
  }
  if (missing.length === 0) {
    return ok('jobs', 'A worker does the work in the background');
  }
  return fault(
    'jobs',
    isNone
      ? 'No worker runs: moves, alerts, webhooks and e-mail wait, and nothing that has expired is dropped'
      : `No process does these jobs: ${missing.join(', ')}`,
    isNone
      ? 'Start one: systemctl enable --now tagtrail-worker@1, docker compose up --detach worker, or kubectl apply --kustomize kubernetes; npm start has its own'
      : 'The log of the worker says why they fail',
  );
}

async function findMissing(db: Connection): Promise<string[]> {
  const rows = await db.any(sql.type(rowsOf<{ lock: number }>())`
    select objid::bigint as lock from pg_locks
    where locktype = 'advisory' and granted and classid = 0 and objsubid = 1 and mode = 'ExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())
      and objid::bigint = any(${sql.binary(integers([...JOBS_OF_EVERY_WORKER.values()]))}::integer[])`);
  const held = new Set(rows.map(({ lock }) => lock));
  return [...JOBS_OF_EVERY_WORKER].filter(([, lock]) => !held.has(lock)).map(([name]) => name);
}
