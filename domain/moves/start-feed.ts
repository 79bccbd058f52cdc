import { type Sealing, startSealing } from './start-sealing.ts';

/** The part of a process's log that is needed here. */
interface Log {
  info(what: object, message: string): void;
  warn(what: object, message: string): void;
  error(what: object, message: string): void;
}

/** Runs the move feed in every process that records: seals or stands by. */
export function startFeed(url: string, log: Log): Sealing {
  let nextWarning = 0;
  return startSealing(url, {
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
}

/** Milliseconds. */
const WARN_EVERY = 60_000;
