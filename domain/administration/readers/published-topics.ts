import { AppError } from '../../../base/errors.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { topicsOverlap } from './topic.ts';

/** Prefixes of published topics (docs/mqtt-moves.md). */
export interface PublishedAt {
  prefix: string;
  homeAssistant: string | null;
}

/** The prefixes under which any organization's moves were last published. */
export async function readPublishedAt(db: Connection): Promise<PublishedAt[]> {
  const rows = await db.any(sql.type(rowsOf<{ prefix: string; home_assistant: string | null }>())`
    select distinct target::jsonb ->> 1 as prefix, target::jsonb ->> 2 as home_assistant
    from mqtt_feeds where target <> ''
    order by prefix, home_assistant`);
  return rows.map((row) => ({ prefix: row.prefix, homeAssistant: row.home_assistant }));
}

/**
 * Names those of the published topics that a reader's topic overlaps; null if none. A reader there could overwrite what
 * consumers read, and ingestion would read what tagtrail writes. Nothing else may be below a prefix of moves, because
 * consumers read all of it. Filters such as `+/events` that could match such a topic among others are refused only if
 * they match one that is written.
 */
export function publishedOverlap(topic: string, published: readonly PublishedAt[]): string | null {
  for (const { prefix, homeAssistant } of published) {
    if (topic === prefix || topic.startsWith(`${prefix}/`) || hasMoves(topic, prefix)) {
      return `${prefix}/#, where moves are published (MQTT_MOVES_PREFIX)`;
    }
    if (homeAssistant !== null && hasDiscovery(topic, homeAssistant)) {
      return `${homeAssistant}/sensor/tagtrail-.../asset-.../config, where assets are published (MQTT_HOME_ASSISTANT_PREFIX)`;
    }
  }
  return null;
}

/** @throws AppError `conflict`, naming what the topic overlaps. */
export async function refusePublished(
  transaction: Connection,
  topic: string,
  configured: PublishedAt | null,
): Promise<void> {
  const published = await readPublishedAt(transaction);
  const what = publishedOverlap(topic, configured === null ? published : [configured, ...published]);
  if (what !== null) {
    throw new AppError(
      'conflict',
      `Topic ${topic} overlaps with ${what}: the reader could overwrite them. Give it a topic of its own elsewhere`,
    );
  }
}

function hasMoves(filter: string, prefix: string): boolean {
  const organization = levelOf(filter, levels(prefix), /^\d+$/) ?? '1';
  return topicsOverlap(filter, `${prefix}/${organization}/assets/#`);
}

function hasDiscovery(filter: string, prefix: string): boolean {
  const node = levelOf(filter, levels(prefix) + 1, /^tagtrail-\d+$/) ?? 'tagtrail-1';
  const asset = levelOf(filter, levels(prefix) + 2, /^asset-\d+$/) ?? 'asset-1';
  return topicsOverlap(filter, `${prefix}/sensor/${node}/${asset}/config`);
}

function levels(topic: string): number {
  return topic.split('/').length;
}

/** The level itself if it is such a one, so that a pattern with it has it. */
function levelOf(filter: string, index: number, such: RegExp): string | null {
  const level = filter.split('/')[index];
  return level !== undefined && such.test(level) ? level : null;
}
