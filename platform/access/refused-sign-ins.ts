import type { Logger } from 'pino';
import { withoutTokens } from '../../base/scanned-text.ts';
import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { repeatFlushing } from '../runtime/repeat.ts';

/**
 * `reader_mqtt_5`: its password was right, its version of MQTT was not. `reader_taken_over`: let in, and another connection of
 * the same login and client id ended.
 */
export type RefusalKind = 'reader' | 'reader_mqtt_5' | 'reader_taken_over' | 'key' | 'handheld' | 'user';

export interface RefusedSignIn {
  kind: RefusalKind;
  /** A reader's user name, a user's id, or the id in the credential; empty if none was given. Never a secret. */
  name: string;
  address: string;
  /** True if that name exists: made-up names cannot crowd out known ones. */
  isKnown: boolean;
}

export interface RefusedCount {
  kind: RefusalKind;
  name: string;
  address: string;
  count: number;
  secondsAgo: number;
}

interface Counted extends Pick<RefusedSignIn, 'kind' | 'name' | 'address'> {
  count: number;
  at: number;
}

export interface RefusedSignInsOptions {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  write(counts: readonly RefusedCount[]): Promise<void>;
}

/**
 * Counts refused sign-ins by name, in memory; counts are flushed together now and then, so a flood costs an addition
 * each. Per ten minutes a limited number of names is counted separately; the rest share one count of each kind.
 */
export class RefusedSignIns {
  readonly #options: RefusedSignInsOptions;
  #counts = new Map<string, Counted>();
  #named = { known: new Set<string>(), strange: new Set<string>() };
  #namedSince: number;

  constructor(options: RefusedSignInsOptions) {
    this.#options = options;
    this.#namedSince = options.now();
  }

  note({ kind, name, address, isKnown }: RefusedSignIn): void {
    const at = this.#options.now();
    const own = storable(name);
    const counted = this.#hasOwnCount(`${kind} ${own}`, isKnown) ? own : '';
    const known = this.#counts.get(`${kind} ${counted}`);
    this.#counts.set(`${kind} ${counted}`, {
      ...{ kind, name: counted, address: storable(address), at },
      count: (known?.count ?? 0) + 1,
    });
  }

  /** @returns false if there was nothing to write. */
  async flush(): Promise<boolean> {
    const counts = this.#counts;
    if (counts.size === 0) {
      this.#forgetNames();
      return false;
    }
    this.#counts = new Map();
    const { now, write } = this.#options;
    try {
      await write(
        [...counts.values()].map(({ at, ...counted }) => ({ ...counted, secondsAgo: (now() - at) / 1_000 })),
      );
      this.#forgetNames();
      return true;
    } catch (error) {
      for (const [key, { count, ...earlier }] of counts) {
        const later = this.#counts.get(key);
        this.#counts.set(key, { ...earlier, ...later, count: count + (later?.count ?? 0) });
      }
      throw error;
    }
  }

  #hasOwnCount(name: string, isKnown: boolean): boolean {
    const names = isKnown ? this.#named.known : this.#named.strange;
    if (!names.has(name) && names.size >= (isKnown ? MOST_KNOWN : MOST_STRANGE)) {
      return false;
    }
    names.add(name);
    return true;
  }

  /** Names stay while nothing can be written, since their counts do. */
  #forgetNames(): void {
    const now = this.#options.now();
    if (now - this.#namedSince > NAMES_KEPT_MS) {
      this.#named = { known: new Set(), strange: new Set() };
      this.#namedSince = now;
    }
  }
}

const MOST_KNOWN = 1_000;
const MOST_STRANGE = 100;
const NAMES_KEPT_MS = 600_000;

/** Text that the database accepts, shortened, without anything shaped like a credential. */
function storable(text: string): string {
  return withoutTokens(text.slice(0, 3 * LONGEST))
    .slice(0, LONGEST)
    .toWellFormed()
    .replaceAll('\u0000', '\uFFFD');
}

/** UTF-16 units. */
const LONGEST = 100;

/** Flushes counts every {@link PAUSE_MS} and at shutdown. */
export async function startRefusedSignIns(
  db: Connection,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
  pause = PAUSE_MS,
): Promise<RefusedSignIns> {
  const refused = new RefusedSignIns({
    now: () => performance.now(),
    write: (counts) => writeRefusedSignIns(db, counts),
  });
  let droppedAt = Number.NEGATIVE_INFINITY;
  const flush = async () => {
    const hasWritten = await refused.flush();
    if (performance.now() - droppedAt > DROP_EVERY_MS) {
      await dropOldRefusals(db);
      droppedAt = performance.now();
    }
    return hasWritten;
  };
  await lifecycle.start(
    'record of refused sign-ins',
    () =>
      repeatFlushing(pause, flush, {
        log,
        lost: 'Refused sign-ins cannot be recorded; their counts are kept for later',
        back: 'Refused sign-ins are recorded again',
      }),
    (started) => started.stop(),
  );
  return refused;
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
