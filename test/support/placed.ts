import type mqtt from 'mqtt';
import type { TestDatabase } from './database.ts';
import { appendMoves } from './feed-rows.ts';

/** Puts an asset somewhere, or nowhere, by plain SQL: its position, and the event that tells it. */
export async function place(
  database: TestDatabase,
  orgId: number,
  { assetId, locationId, since }: { assetId: number; locationId: number | null; since: string },
): Promise<number> {
  const told = new Date().toISOString();
  await database.rows(
    `insert into positions (org_id, asset_id, location_id, since, last_seen, is_in_feed, told_at)
     values ($1, $2, $3, $4, $4, true, $5)
     on conflict (org_id, asset_id) do update set location_id = $3, since = $4, last_seen = $4, told_at = $5`,
    [orgId, assetId, locationId, locationId === null ? null : since, told],
  );
  return appendMoves(database, orgId, [
    {
      assetId,
      locationId,
      since: locationId === null ? null : since,
      kind: locationId === null ? 'corrected' : 'moved',
      rows: locationId === null ? {} : null,
      recordedAt: told,
    },
  ]);
}

export interface Heard {
  /** In order; of an empty payload null. */
  all: { topic: string; payload: Told | null; retain: boolean }[];
  /** What the broker has, by topic, as far as this subscriber was told. */
  now: Map<string, Told>;
}

// biome-ignore lint/suspicious/noExplicitAny: as the broker gives it
type Told = any;

export async function hear(client: mqtt.MqttClient, filter: string): Promise<Heard> {
  const heard: Heard = { all: [], now: new Map() };
  client.on('message', (topic, payload, { retain }) => {
    const told = payload.length === 0 ? null : JSON.parse(payload.toString());
    heard.all.push({ topic, payload: told, retain });
    told === null ? heard.now.delete(topic) : heard.now.set(topic, told);
  });
  await client.subscribeAsync(filter, { qos: 1 });
  return heard;
}
