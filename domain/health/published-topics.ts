import { TAGTRAIL } from '../../base/typed-command.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { LIVE_READERS } from '../administration/live-readers.ts';
import {
  type PublishedAt,
  publishedOverlap,
  readPublishedAt,
} from '../administration/readers/published-topics.ts';
import { type Finding, fault, isOf } from './finding.ts';

/** Readers named one by one. */
const MOST_NAMED = 10;

/** Names readers that could overwrite published moves: registered before those were published there. */
export async function examinePublishedTopics(
  db: Connection,
  configured: PublishedAt | null,
  orgId: number | null = null,
): Promise<Finding[]> {
  const recorded = await readPublishedAt(db);
  const published = configured === null ? recorded : [configured, ...recorded];
  if (published.length === 0) {
    return [];
  }
  const readers = await db.any(sql.type(rowsOf<{ id: number; name: string; topic: string }>())`
    select reader.id, reader.name, reader.topic from ${LIVE_READERS}
    where ${isOf(sql.fragment`reader.org_id`, orgId)} order by reader.id`);
  const findings: Finding[] = [];
  for (const { id, name, topic } of readers) {
    const what = publishedOverlap(topic, published);
    if (what !== null && findings.length < MOST_NAMED) {
      findings.push(
        fault(
          'published topics',
          `The topic ${topic} of ${name} (reader ${id}) overlaps with ${what}: it could overwrite them`,
          `Give it a topic elsewhere, on the device too: ${TAGTRAIL} reader set --reader ${id} --topic ...`,
          { what: 'change_topic', id },
        ),
      );
    }
  }
  return findings;
}
