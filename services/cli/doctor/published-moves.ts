import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { PublishedAt } from '../../../domain/administration/readers/published-topics.ts';
import { type Finding, ok, warning } from '../../../domain/health/finding.ts';
import { readPublishedLag } from '../../../domain/moves/published/published-lag.ts';
import { readPublishingFaults } from '../../../domain/moves/published/refused-feeds.ts';
import { MOVES_OUT_SESSION } from '../../mqtt-ingest/config.ts';

/** Seconds after which an event that was not published is worth a look; most take less than a tenth. */
const LATE = 60;

/** Organizations named one by one. */
const MOST_NAMED = 10;

const CHECK = 'moves over MQTT';

/** Checks whether moves are published over MQTT, at the configured and at earlier prefixes. */
export async function examinePublishedMoves(
  db: Connection,
  configured: PublishedAt | null,
): Promise<Finding[]> {
  const refused = await examineRefused(db);
  const rest = await examineOthers(db, configured);
  return refused.length > 0 && rest.every(({ status }) => status === 'ok') ? refused : [...refused, ...rest];
}

/** Names organizations whose moves wait because the broker does not take a message of theirs, or a query fails. */
async function examineRefused(db: Connection): Promise<Finding[]> {
  const faults = await readPublishingFaults(db, MOST_NAMED);
  return faults.map(({ orgId, name, topic, reason }) => {
    const [what, remedy] =
      topic === null
        ? ['a query of the database fails', 'Report this with the log of ingestion.']
        : [
            'the broker does not take a message',
            'May tagtrail publish at the topic, and does the broker take messages of that size?',
          ];
    return warning(
      CHECK,
      `Organization ${orgId} (${name}): ${what}, so all of its moves wait; others' go on. ${reason}`,
      `${remedy} It is tried again every few minutes, and at once when ingestion is restarted`,
    );
  });
}

async function examineOthers(db: Connection, configured: PublishedAt | null): Promise<Finding[]> {
  const { feeds, behind, lag } = await readPublishedLag(db);
  const isRunning = await hasPublisher(db);
  if (configured === null && !isRunning) {
    return feeds === 0
      ? []
      : [ok(CHECK, 'They were published once, and are not now: no process has MQTT_MOVES_PREFIX')];
  }
  if (lag > LATE) {
    return [
      warning(
        CHECK,
        `Moves of ${behind} of ${feeds} organizations wait to be published, the first for ${sayFor(lag)}`,
        isRunning
          ? 'The log of ingestion says why (Moves could not be published); is the broker there, and may tagtrail publish below MQTT_MOVES_PREFIX?'
          : 'Start ingestion with MQTT_MOVES_PREFIX; if it runs, its log says why it does not publish',
      ),
    ];
  }
  if (!isRunning) {
    return [
      warning(
        CHECK,
        'MQTT_MOVES_PREFIX is set, and no process publishes',
        'Start ingestion with this setting; if it runs, its log says why it does not publish',
      ),
    ];
  }
  return [ok(CHECK, 'Published as they can be read in the feed')];
}

/** True if a process publishes or stands by. */
async function hasPublisher(db: Connection): Promise<boolean> {
  const { is_running: isRunning } = await db.one(sql.type(rowsOf<{ is_running: boolean }>())`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and application_name = ${MOVES_OUT_SESSION}
    ) as is_running`);
  return isRunning;
}

function sayFor(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} minutes`;
}
