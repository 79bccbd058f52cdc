import type { Logger } from 'pino';
import { messageOf } from '../../base/errors.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { repeat } from '../runtime/repeat.ts';
import { type RefusedCount, RefusedSignIns } from './refused-sign-ins.ts';

/** Flushes counts every {@link PAUSE_MS} and at shutdown. Logs the beginning and the end of an outage once each. */
export function startRefusedSignIns(
  db: Connection,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
  pause = PAUSE_MS,
): Promise<RefusedSignIns> {
  const refused = new RefusedSignIns({
    now: () => performance.now(),
    write: (counts) => writeRefusedSignIns(db, counts),
  });
  let isOut = false;
  let droppedAt = Number.NEGATIVE_INFINITY;
  const flush = async () => {
    if ((await refused.flush()) && isOut) {
      isOut = false;
      log.info('Refused sign-ins are recorded again');
    }
    if (performance.now() - droppedAt > DROP_EVERY_MS) {
      await dropOldRefusals(db);
      droppedAt = performance.now();
    }
  };
  const onFault = (error: unknown) => {
    if (!isOut) {
      isOut = true;
      log.warn(
        { reason: messageOf(error) },
        'Refused sign-ins cannot be recorded; their counts are kept for later',
      );
    }
  };
  return lifecycle
    .start(
      'record of refused sign-ins',
      async () => ({ refused, repeating: repeat(pause, flush, onFault) }),
      async ({ repeating }) => {
        await repeating.stop();
        await refused.flush().catch(onFault);
      },
    )
    .then((started) => started.refused);
}

const PAUSE_MS = 5_000;
const DROP_EVERY_MS = 3_600_000;

/** Sorted by key, because processes that write at once may share names. */
async function writeRefusedSignIns(db: Connection, counts: readonly RefusedCount[]): Promise<void> {
  const texts = (of: (count: RefusedCount) => string) => sql.array(counts.map(of), 'text');
  await db.any(sql.type(NO_ROWS)`
    insert into refused_sign_ins (period, kind, name, count, last_at, address)
    select date_bin(interval '10 minutes', now(), timestamptz 'epoch'), given.kind, given.name, given.count,
      now() - given.seconds_ago * interval '1 second', given.address
    from unnest(
      ${texts(({ kind }) => kind)},
      ${texts(({ name }) => name)},
      ${sql.array(
        counts.map(({ count }) => count),
        'int8',
      )},
      ${sql.array(
        counts.map(({ secondsAgo }) => secondsAgo),
        'float8',
      )},
      ${texts(({ address }) => address)}
    ) as given (kind, name, count, seconds_ago, address)
    order by given.kind collate "C", given.name collate "C"
    on conflict (period, kind, name) do update set count = refused_sign_ins.count + excluded.count,
      last_at = greatest(refused_sign_ins.last_at, excluded.last_at), address = excluded.address`);
}

async function dropOldRefusals(db: Connection): Promise<void> {
  await db.any(sql.type(NO_ROWS)`
    delete from refused_sign_ins where period < now() - interval '25 hours'`);
}
