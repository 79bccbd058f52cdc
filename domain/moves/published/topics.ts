import type { Micros } from '../../../base/instant.ts';
import { fromDatabase, toMicros } from '../../../base/timestamps.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';

export interface PublishedTopic {
  assetId: number;
  topic: string;
  /** Hexadecimal; null if it is unknown what the broker has; {@link CLEARED} if nothing. */
  digest: string | null;
  toldAt: Micros | null;
}

export const CLEARED = '';

export async function readTopics(
  db: Connection,
  orgId: number,
  assetIds: readonly number[],
): Promise<PublishedTopic[]> {
  const rows = await db.any(
    sql.type(rowsOf<{ asset_id: number; topic: string; digest: string | null; told_at: string | null }>())`
      select asset_id, topic, encode(digest, 'hex') as digest, told_at from mqtt_topics
      where org_id = ${orgId} and topic in (
        select topic from mqtt_topics where org_id = ${orgId} and asset_id = any (${sql.array(assetIds, 'int4')}))`,
  );
  return rows.map((row) => ({
    assetId: row.asset_id,
    topic: row.topic,
    digest: row.digest,
    toldAt: row.told_at === null ? null : toMicros(fromDatabase(row.told_at)),
  }));
}

/** Call before anything is sent there, so that a crash leaves no topic that nobody would clear. */
export async function claimTopics(
  db: Connection,
  orgId: number,
  claims: readonly { assetId: number; topic: string }[],
): Promise<void> {
  if (claims.length > 0) {
    await db.exec(sql.type(NO_ROWS)`
      insert into mqtt_topics (org_id, asset_id, topic)
      select ${orgId}, asset_id, topic
      from unnest(${sql.array(
        claims.map(({ assetId }) => assetId),
        'int4',
      )},
        ${sql.array(
          claims.map(({ topic }) => topic),
          'text',
        )}) as claim (asset_id, topic)
      on conflict do nothing`);
  }
}

/** After the broker has acknowledged the messages. */
export async function storeTopics(
  db: Connection,
  orgId: number,
  topics: readonly PublishedTopic[],
): Promise<void> {
  if (topics.length === 0) {
    return;
  }
  const assetIds = topics.map(({ assetId }) => assetId);
  const names = topics.map(({ topic }) => topic);
  const digests = topics.map(({ digest }) => digest);
  const toldAt = topics.map((each) => each.toldAt);
  await db.exec(sql.type(NO_ROWS)`
    update mqtt_topics
    set digest = decode(sent.digest, 'hex'), told_at = time_of_micros(sent.told_at), sent_at = now()
    from unnest(${sql.array(assetIds, 'int4')}, ${sql.array(names, 'text')}, ${sql.array(digests, 'text')},
      ${sql.array(toldAt, 'int8')}) as sent (asset_id, topic, digest, told_at)
    where mqtt_topics.org_id = ${orgId} and mqtt_topics.asset_id = sent.asset_id and mqtt_topics.topic = sent.topic`);
}

/** Some assets that still have messages at the broker. */
export async function readAssetsWithTopics(db: Connection, orgId: number, limit: number): Promise<number[]> {
  const rows = await db.any(sql.type(rowsOf<{ asset_id: number }>())`
    select distinct asset_id from mqtt_topics where org_id = ${orgId} and digest is distinct from ''::bytea
    order by asset_id limit ${limit}`);
  return rows.map(({ asset_id: id }) => id);
}
