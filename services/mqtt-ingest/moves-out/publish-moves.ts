import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Alarm } from '../../../base/alarm.ts';
import { messageOf } from '../../../base/errors.ts';
import { leastOf } from '../../../base/extremes.ts';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { whileElected } from '../../../db/timescale/connections/elected.ts';
import { isFaultOfData, sqlStateOf } from '../../../db/timescale/connections/sql-state.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import { keepSettleSeconds, type PublishedFeed, readFeeds } from '../../../domain/moves/published/feeds.ts';
import type { Ladder } from '../../../domain/moves/published/refused-feeds.ts';
import { resendUnsure, sendAllAgain, trustWritten } from '../../../domain/moves/published/resend-unsure.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealing/announcements.ts';
import { BackOff } from '../source/back-off.ts';
import { type Destination, markTopic, Unpublished } from './messages.ts';
import { type Publishing, publishNext, type Sink } from './publish-step.ts';
import { type RefusalHooks, Refusals } from './refusals.ts';
import { MOVES_OUT_SESSION } from './settings.ts';

export interface PublishedMoves {
  figures(): MovesOutFigures;
  stop(): Promise<void>;
}

/** For this process. */
export interface MovesOutFigures {
  isPublishing: boolean;
  /** Messages since the start. */
  published: number;
  /** Events that wait. */
  behind: number;
}

export interface PublishingOptions {
  databaseUrl: string;
  to: Destination;
  /** Names the broker: everything is published once more if it changes. */
  broker: string;
  /** How long an asset's events wait. */
  settleSeconds?: number;
  openSink(signal: AbortSignal): Promise<Sink & { close(): void }>;
  log: Logger;
  /** Milliseconds between checks of what the broker must have written by now. */
  trustEvery?: number;
  /** Pauses before retries after a refusal. */
  again?: Ladder;
}

/**
 * Publishes the location of every asset, from the move feed, or stands by: one of all processes that call this does it,
 * and another takes over within seconds when it is gone. At least once, and in order for each asset. A fault of the
 * database or the broker ends it, which frees the lock; it resumes after the last acknowledgement.
 */
export function publishMoves({
  databaseUrl,
  to,
  broker,
  openSink,
  log,
  settleSeconds = 0,
  trustEvery = 300_000,
  again,
}: PublishingOptions): PublishedMoves {
  const stopping = new AbortController();
  const { signal } = stopping;
  const figures = { isPublishing: false, published: 0, behind: 0 };
  const refusals = new Refusals(refusalLog(log), again);
  const retries = new Retries(log, signal);
  const target = JSON.stringify([broker, to.prefix, to.homeAssistant]);
  // Progress is noted on the elected connection, so a process that has lost the lock notes nothing.
  const election = { name: MOVES_OUT_SESSION, signal, patience: STATEMENT };
  const publish = () =>
    whileElected(databaseUrl, ADVISORY_LOCKS.movesOut, election, async ({ client: db, lost }) => {
      const held = AbortSignal.any([signal, lost]);
      const sink = await openSink(held);
      try {
        figures.isPublishing = true;
        log.info({ prefix: to.prefix }, 'Publishing moves to the broker');
        const publishing = { db, sink, to, target, settleSeconds, refusals };
        await beginPublishing(publishing);
        const onPublished = (messages: number) => {
          figures.published += messages;
          retries.worked();
        };
        const onBehind = (events: number) => {
          figures.behind = events;
        };
        const ending = AbortSignal.any(sink.lost === undefined ? [held] : [held, sink.lost]);
        await publishOn(
          { ...publishing, held: new Map(), onPublished },
          { signal: ending, trustEvery, onBehind },
        );
        ending.throwIfAborted();
      } finally {
        Object.assign(figures, { isPublishing: false, behind: 0 });
        sink.close();
      }
    });
  const run = async () => {
    while (!signal.aborted) {
      await publish().catch((error: unknown) => retries.await(error));
    }
  };
  const running = run();
  return {
    figures: () => ({ ...figures }),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

function refusalLog(log: Logger): RefusalHooks {
  return {
    onSetAside: ({ orgId, topic, reason }) =>
      log.error(
        { orgId, ...(topic === null ? {} : { topic }), reason },
        topic === null
          ? 'Moves of the organization cannot be published: a query fails; will retry; other organizations are not affected'
          : 'Message is not taken by the broker; the moves of its organization wait and are tried again, the others go on',
      ),
    onMarkRefused: (reason) =>
      log.warn(
        { reason },
        'Broker refused the marker that shows whether it lost retained messages; this process stops checking',
      ),
    onMended: (orgId) => log.info({ orgId }, 'Moves of the organization are published again'),
  };
}

/** Milliseconds between attempts. */
const AGAIN = { first: 250, longest: 5_000 };

/** The pauses between attempts. The same reason is told once. */
class Retries {
  readonly #log: Logger;
  readonly #signal: AbortSignal;
  readonly #backOff = new BackOff(AGAIN);
  #told: string | null = null;

  constructor(log: Logger, signal: AbortSignal) {
    this.#log = log;
    this.#signal = signal;
  }

  worked(): void {
    this.#told = null;
    this.#backOff.reset();
  }

  async await(error: unknown): Promise<void> {
    if (this.#signal.aborted) {
      return;
    }
    const reason = messageOf(error);
    this.#log[reason === this.#told ? 'debug' : 'warn'](
      { reason },
      'Moves could not be published; will retry',
    );
    this.#told = reason;
    await pause(this.#backOff.next(), undefined, { signal: this.#signal }).catch(() => {});
  }
}

/** Sends again what the broker may not have, or may have lost. */
async function beginPublishing({
  db,
  sink,
  to,
  target,
  settleSeconds,
  refusals,
}: Omit<Publishing, 'held' | 'onPublished'> & { db: Client }): Promise<void> {
  const mark = markTopic(to);
  await refusals.load(db);
  await resendUnsure(db);
  await keepSettleSeconds(db, settleSeconds);
  if (!refusals.isMarkRefused && (await sink.hasForgotten?.(mark)) === true) {
    await sendAllAgain(db);
    await sink.publish([{ topic: mark, payload: target }]).catch((error) => refusals.noteMark(error));
  }
}

/** Milliseconds: a notification may be lost, and a renamed asset is not announced. */
const LOOK_EVERY = 1_000;

/** Milliseconds: with many announcements a second, larger steps instead of as many. */
const REST = 25;

/** Publishes on the connection that has the lock, a step of each organization in turn, until the signal is aborted. */
async function publishOn(
  publishing: Publishing & { db: Client },
  {
    signal,
    trustEvery,
    onBehind,
  }: { signal: AbortSignal; trustEvery: number; onBehind(events: number): void },
): Promise<void> {
  const { db, refusals, held } = publishing;
  const alarm = new Alarm();
  const ring = () => alarm.ring();
  db.on('notification', ring);
  signal.addEventListener('abort', ring);
  let nextTrust = performance.now() + trustEvery;
  try {
    await db.exec(sql.type(NO_ROWS)`listen ${sql.identifier([MOVES_SEALED])}`);
    while (!signal.aborted) {
      if (performance.now() >= nextTrust) {
        await trustWritten(db);
        nextTrust = performance.now() + trustEvery;
      }
      const feeds = await readFeeds(db);
      onBehind(feeds.reduce((sum, { head, cursor }) => sum + head - (cursor?.position ?? head), 0));
      let isBusy = false;
      for (const feed of refusals.inTurn(feeds, performance.now())) {
        signal.throwIfAborted();
        isBusy = (await publishUnlessRefused(publishing, feed)) || isBusy;
      }
      if (!isBusy) {
        const now = performance.now();
        const waits = [...held.values()].map((until) => until - now).filter((wait) => wait > 0);
        await alarm.sleep(Math.min(LOOK_EVERY, leastOf(waits)));
        await pause(REST, undefined, { signal }).catch(() => {});
      }
    }
  } finally {
    db.removeListener('notification', ring);
    signal.removeEventListener('abort', ring);
  }
}

/** @throws what ends publishing on this connection for everybody. */
async function publishUnlessRefused(publishing: Publishing, feed: PublishedFeed): Promise<boolean> {
  const { db, refusals } = publishing;
  const { orgId, isDeleted } = feed;
  try {
    const isBusy = await publishNext(publishing, feed);
    await refusals.stepped(db, orgId);
    if (!isBusy || isDeleted) {
      await refusals.caughtUp(db, orgId);
    }
    return isBusy;
  } catch (error) {
    if (error instanceof Unpublished && (await refusals.note(db, orgId, error))) {
      return false;
    }
    if (isFaultOfOne(error)) {
      await refusals.noteFailed(db, orgId, error);
      return false;
    }
    throw error;
  }
}

/**
 * True if a row of one organization is at fault, or its rows are too many for the server. The connection stays usable.
 */
function isFaultOfOne(error: unknown): boolean {
  return isFaultOfData(error) || sqlStateOf(error) === QUERY_CANCELED;
}

const QUERY_CANCELED = '57014';

/** Milliseconds after which the server gives a statement up, so that the connection is not lost with it. */
const STATEMENT = 15_000;
