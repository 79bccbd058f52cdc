import { setTimeout as pause } from 'node:timers/promises';
import mqtt from 'mqtt';
import { quantile } from '../../support/statistics.ts';
import { committed } from '../ingest/counters.ts';
import { READERS, readerName, tagValue } from '../ingest/site.ts';
import { halfOfTheMost, startSteadyLoad } from '../ingest/steady-load.ts';
import type { AlertOptions } from './options.ts';
import { BRIEF, FORBIDDEN, PROBED, PROBES, untilDerived } from './rules.ts';
import type { Sides } from './sides.ts';

/** Those of the last reader, which nobody else reads. */
const SENT = PROBES.slice(0, 60);
const BETWEEN = 100;

/**
 * From when a rule is true, as observed, until its alert is stored, and until the feed has it; at half of the reads that
 * ingestion can do. Assets come to where they must not be, then stay too long elsewhere, then leave.
 */
export async function measureTelling(
  { plain, ruled, copy }: Sides,
  { count, seconds }: AlertOptions,
): Promise<void> {
  const { client, sources } = ruled;
  const rate = await halfOfTheMost(plain, copy, 'embedded', count);
  const load = await startSteadyLoad(ruled, 'embedded', rate, 2 * seconds);
  const reader = readerName(READERS - 1);
  const probe = await mqtt.connectAsync(`mqtt://127.0.0.1:${sources.embedded?.port}`, {
    ...{ username: reader, password: reader, clientId: 'bench-probe' },
  });
  const begun = new Date();
  const before = await committed(client);
  const end = performance.now() + seconds * 1_000;
  let sent = 0;
  for (; performance.now() < end; sent++) {
    const antenna = [FORBIDDEN.antenna, BRIEF.antenna, 1][Math.floor(sent / SENT.length) % 3];
    const value = tagValue(SENT[sent % SENT.length] ?? 0);
    const read = { value, antenna, rssi: -50, observed_at: new Date().toISOString() };
    await probe.publishAsync(reader, JSON.stringify(read), { qos: 1 });
    await pause(BETWEEN);
  }
  const kept = ((await committed(client)).messages - before.messages - sent) / (rate * seconds);
  load.stop();
  await probe.endAsync(true);
  await untilDerived(client);
  const { rows } = await client.query<{ kind: string; stored: number; told: number }>(
    `select alert.kind, extract(epoch from alert.recorded_at - alert.opened_at)::float8 as stored,
       extract(epoch from event.sealed_at - alert.opened_at)::float8 as told
     from alerts alert
     join moves event on event.org_id = alert.org_id and event.asset_id is null and event.kind = 'alert_opened'
       and event.rows -> 'alert' -> 0 ->> 'id' = alert.id
     where alert.rule_name = $1 and alert.opened_at between $2 and $3`,
    [PROBED, begun, new Date(begun.getTime() + seconds * 1_000)],
  );
  console.log(
    `\nFrom when a rule is true, at ${(50 * rate).toFixed(0)} reads/s (${kept.toFixed(2)} of them done meanwhile), s`,
  );
  for (const [kind, own] of Map.groupBy(rows, (row) => row.kind)) {
    for (const name of ['stored', 'told'] as const) {
      const sorted = own.map((row) => row[name]).toSorted((a, b) => a - b);
      const [p50, p99] = [0.5, 0.99].map((fraction) => quantile(sorted, fraction).toFixed(2));
      console.log(
        `  ${kind}, ${name}   p50 ${p50}   p99 ${p99}   longest ${sorted.at(-1)?.toFixed(2)}   of ${sorted.length}   wanted p99 5`,
      );
    }
  }
}
