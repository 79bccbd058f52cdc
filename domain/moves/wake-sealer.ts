import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { MOVES_WRITTEN } from './sealing/announcements.ts';

/** Milliseconds between notifications. */
const EVERY = 10;

/** Organizations named in a notification, which has 8,000 bytes; more are not named. */
const NAMED = 500;

/**
 * Notifies the sealer that events of these organizations, or of any, were committed to a queue; throttled to once in {@link EVERY}
 * milliseconds. Call after the commit: transactions that notify commit one at a time.
 *
 * Best effort: the sealer polls once a second anyway.
 */
export function wakeSealer(db: Notifying, channel = MOVES_WRITTEN): (orgIds?: Iterable<number>) => void {
  return waker(db, channel).wake;
}

/**
 * Wakes the sealer after `work`, as {@link wakeSealer} does, but sends the notification before it returns. For
 * processes that end soon after.
 */
export async function wakingSealer<Result>(
  db: Notifying,
  work: (onMoves: (orgIds: Iterable<number>) => void) => Promise<Result>,
): Promise<Result> {
  const { wake, flush } = waker(db, MOVES_WRITTEN);
  try {
    return await work(wake);
  } finally {
    await flush();
  }
}

type Notifying = Pick<Connection, 'exec'>;

interface Waker {
  wake(orgIds?: Iterable<number>): void;
  /** Sends throttled notifications at once. */
  flush(): Promise<void>;
}

function waker(db: Notifying, channel: string): Waker {
  const due = new Set<number>();
  /** The next notification names no organization. */
  let isAnyDue = false;
  let isResting = false;
  let sent: Promise<unknown> = Promise.resolve();
  const send = () => {
    const named = isAnyDue || due.size > NAMED ? '' : [...due].join(',');
    isAnyDue = false;
    due.clear();
    sent = notify(db, channel, named).catch(() => {});
    return sent;
  };
  const notifyDue = async () => {
    isResting = true;
    await send();
    setTimeout(() => {
      isResting = false;
      if (isAnyDue || due.size > 0) {
        notifyDue();
      }
    }, EVERY).unref();
  };
  return {
    wake: (orgIds) => {
      isAnyDue ||= orgIds === undefined;
      for (const orgId of orgIds ?? []) {
        due.add(orgId);
      }
      if (!isResting) {
        notifyDue();
      }
    },
    flush: async () => {
      await sent;
      if (isAnyDue || due.size > 0) {
        await send();
      }
    },
  };
}

/** Without waiting for the disk: nothing here needs to survive a crash. */
function notify(db: Notifying, channel: string, named: string): Promise<number> {
  return db.exec(sql.prepared('wake-sealer', NO_ROWS)`
    select set_config('synchronous_commit', 'off', true), pg_notify(${channel}::text, ${named}::text)`);
}
