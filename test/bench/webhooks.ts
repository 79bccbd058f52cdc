import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createWebhook } from '../../domain/webhooks/create-webhook.ts';
import { replayWebhook } from '../../domain/webhooks/replay-webhook.ts';
import { setWebhook } from '../../domain/webhooks/set-webhook.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { backendsOf, processorTime } from '../support/processor-time.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { SECRETS_KEY, SETTINGS } from '../support/webhooks.ts';
import { onServer } from './ingest/site.ts';
import { interleaved } from './interleaved.ts';
import type { BenchOptions } from './options.ts';
import { type ServerProcess, startServer } from './processes.ts';
import { apiEnvironment } from './requests.ts';
import { type Filled, fill } from './rows/seed.ts';

/** Events that wait, together, for the webhooks that are on. */
const BACKLOG = 24_000;

const ASSETS = 500;

/** Requests after which what a process does once, such as compiling, is not counted. */
const WARM = 2_000;

export interface Drained {
  /** Events a second. */
  rate: number;
  /** Microseconds of processor time for an event. */
  node: number;
  database: number;
}

/** A receiver that was away is back: what has waited for it is delivered, for one webhook or for four. */
export async function benchWebhooks(serverUrl: string, options: BenchOptions): Promise<void> {
  const backlog = await openBacklog(serverUrl);
  const results = await interleaved(options.repetitions, {
    'one webhook': () => backlog.drain(1),
    'four webhooks': () => backlog.drain(4),
  });
  await backlog.close();
  console.log(`\n${BACKLOG} events of ${ASSETS} assets that waited for their receiver`);
  for (const [name, runs] of Object.entries(results)) {
    const of = (pick: (run: Drained) => number) => show(spreadOf(runs.map(pick)), 0);
    console.log(
      `  ${name.padEnd(14)} ${of(({ rate }) => rate)}/s   us of an event: Node.js ${of(({ node }) => node)}, PostgreSQL ${of(({ database }) => database)}`,
    );
  }
}

export interface Backlog {
  /** @param file the API's process. */
  drain(webhooks: number, file?: string): Promise<Drained>;
  close(): Promise<void>;
}

export async function openBacklog(serverUrl: string): Promise<Backlog> {
  const filled = await fill(serverUrl, { assets: ASSETS, scans: 0 });
  const receiver = await startServer('servers/receiver.ts');
  const pool = createWritePool(filled.url, { max: 1 });
  const db = databaseOn(pool);
  await onServer(filled.url, async (client) => {
    await client.query(EVENTS, [filled.orgId, BACKLOG, ASSETS]);
    await client.query('vacuum analyze');
  });
  const ids: number[] = [];
  for (let number = 0; number < 4; number++) {
    const { webhook } = await createWebhook(db, TEST_ACTOR, SETTINGS, {
      ...{ orgId: filled.orgId, url: `${receiver.url}/${number}` },
    });
    ids.push(webhook.id);
  }
  return {
    drain: async (count, file = 'servers/full.ts') => {
      for (const [index, id] of ids.entries()) {
        const state = index < count ? 'on' : 'off';
        await setWebhook(db, TEST_ACTOR, SETTINGS, { orgId: null, id }, { state });
        await replayWebhook(db, TEST_ACTOR, { orgId: null, id }, BACKLOG - BACKLOG / count);
      }
      const { requests } = await countsOf(receiver);
      const server = await startServer(file, {
        ...apiEnvironment(filled),
        ...{ SECRETS_KEY, WEBHOOK_NETWORKS: '127.0.0.0/8' },
      });
      try {
        return await measure(filled, server, { receiver, before: requests });
      } finally {
        await server.stop();
      }
    },
    close: async () => {
      await pool.end();
      await receiver.stop();
      await filled.drop();
    },
  };
}

async function measure(
  { url }: Filled,
  server: ServerProcess,
  { receiver, before }: { receiver: ServerProcess; before: number },
): Promise<Drained> {
  return onServer(url, async (client) => {
    const warm = await until(receiver, before + WARM);
    const spent = await spentBy(client, server);
    const done = await until(receiver, before + BACKLOG);
    const spentAfter = await spentBy(client, server);
    const events = done.requests - warm.requests;
    return {
      rate: (events * 1_000) / (done.last - warm.last),
      node: ((spentAfter.node - spent.node) * 1e6) / events,
      database: ((spentAfter.database - spent.database) * 1e6) / events,
    };
  });
}

async function spentBy(client: pg.Client, { pid }: ServerProcess) {
  const backends = await backendsOf(client, 'tagtrail webhooks');
  return { node: processorTime([pid]), database: processorTime(backends) };
}

interface Counts {
  requests: number;
  /** When the last one came, in milliseconds. */
  last: number;
}

async function countsOf({ url }: ServerProcess): Promise<Counts> {
  return (await fetch(url)).json() as Promise<Counts>;
}

async function until(receiver: ServerProcess, requests: number): Promise<Counts> {
  for (;;) {
    const counts = await countsOf(receiver);
    if (counts.requests >= requests) {
      return counts;
    }
    await pause(20);
  }
}

/** One in five is a correction of two rows. */
const EVENTS = `
  with head as (
    insert into move_heads (org_id, head, sealed_at, complete_since) values ($1, $2::integer, now(), now())
  ), days as (
    insert into move_days (org_id, day, first_position) values ($1, (now() at time zone 'UTC')::date, 1)
  )
  insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at, location_id, since,
    last_seen, previous_location_id, duration_seconds, rows)
  select $1, position, now(), 1 + position % $3::integer, case when position % 5 = 0 then 'corrected' else 'moved' end,
    1, 1, now(), 1 + position % 200, now(), now(), 1 + (position + 1) % 200, 60,
    case when position % 5 = 0 then json_build_object('added', json_build_array(
      json_build_array(1767225600000000 + position * 1000000::bigint, 1 + position % 200, 60),
      json_build_array(1767225600500000 + position * 1000000::bigint, 1 + (position + 1) % 200, 30))) end
  from generate_series(1, $2::integer) position`;
