import { untilDone } from '../../base/until-done.ts';
import { beginFeeds } from './begin-feeds.ts';
import { type Sealing, startSealing } from './start-sealing.ts';

/** The part of a process's log that is needed here. */
interface Log {
  info(what: object, message: string): void;
  warn(what: object, message: string): void;
  error(what: object, message: string): void;
}

/**
 * Runs the move feed in every process that records: seals or stands by, and after an upgrade backfills it in the
 * background. A backfill that fails, as where the database goes away, is resumed after a pause, and one that shutdown
 * interrupted at the next start.
 */
export function startFeed(url: string, log: Log): Sealing {
  const stopping = new AbortController();
  let nextWarning = 0;
  const sealing = startSealing(url, {
    onBegin: () => log.info({}, 'Sealing the move feed'),
    onSetAside: ({ orgId, moveId, error: err }) =>
      log.error(
        { orgId, moveId, err },
        'Event cannot be sealed; the events of its organization wait and are tried again, the others go on',
      ),
    onMended: (orgId) => log.info({ orgId }, 'Events of the organization are sealed again'),
    onFault: (err) => {
      if (Date.now() >= nextWarning) {
        nextWarning = Date.now() + WARN_EVERY;
        log.warn({ err }, 'Move feed is not sealed by this process; will retry');
      }
    },
  });
  const begun = untilDone(() => begin(url, log, stopping.signal), {
    signal: stopping.signal,
    onFault: (err, pause) =>
      log.warn({ err, pause }, 'Putting histories into the move feed failed; will resume'),
  });
  return {
    figures: sealing.figures,
    stop: async () => {
      stopping.abort();
      await begun;
      await sealing.stop();
    },
  };
}

async function begin(url: string, log: Log, signal: AbortSignal): Promise<void> {
  let next = Date.now() + LOG_EVERY;
  const all = await beginFeeds(url, {
    signal,
    onEarlier: () =>
      log.info(
        {},
        'Processes of an earlier version run; histories are put into the move feed when they have ended',
      ),
    onProgress: (sofar) => {
      if (Date.now() >= next) {
        next = Date.now() + LOG_EVERY;
        log.info(sofar, 'Putting histories from before the move feed into it');
      }
    },
  });
  for (const done of all) {
    if (!done.isFinished && !signal.aborted) {
      throw new Error(`an event of organization ${done.orgId} cannot be sealed`);
    }
    log.info(
      done,
      done.isFinished
        ? 'Histories from before the move feed are in it'
        : 'Putting histories into the move feed continues at the next start',
    );
  }
}

/** Milliseconds. */
const LOG_EVERY = 10_000;
const WARN_EVERY = 60_000;
