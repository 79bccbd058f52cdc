import { setTimeout as pause } from 'node:timers/promises';
import { Alarm } from '../../../base/alarm.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { isFaultOfData, sqlStateOf } from '../../../db/timescale/connections/sql-state.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import { type PublishedFeed, readFeeds } from '../../../domain/moves/published/feeds.ts';
import { trustWritten } from '../../../domain/moves/published/resend-unsure.ts';
import { MOVES_SEALED } from '../../../domain/moves/sealed-announcement.ts';
import { type Publishing, publishNext } from './publish-step.ts';
import { Unpublished } from './unpublished.ts';

/** Milliseconds: a notification may be lost, and a renamed asset is not announced. */
const LOOK_EVERY = 1_000;

/** Milliseconds: with many announcements a second, larger steps instead of as many. */
const REST = 25;

/** Publishes on the connection that has the lock, a step of each organization in turn, until the signal is aborted. */
export async function publishOn(
  publishing: Publishing & { db: Client },
  {
    signal,
    trustEvery,
    onBehind,
  }: { signal: AbortSignal; trustEvery: number; onBehind(events: number): void },
): Promise<void> {
  const { db, refusals } = publishing;
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
        await alarm.sleep(LOOK_EVERY);
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

/** A row of the organization is at fault, or there are so many that the server gave up. The connection can be used on. */
function isFaultOfOne(error: unknown): boolean {
  return isFaultOfData(error) || sqlStateOf(error) === QUERY_CANCELED;
}

const QUERY_CANCELED = '57014';
