import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryOf, processorTime } from '../support/processor-time.ts';
import { quantile, show, spreadOf } from '../support/statistics.ts';
import { onServer } from './ingest/site.ts';
import type { BenchOptions } from './options.ts';
import { type ServerProcess, startServer } from './processes.ts';
import { apiEnvironment } from './requests.ts';
import { type Filled, fill } from './rows/seed.ts';

const WAITING = 1_000;

interface Round {
  /** Bytes of resident memory that the waiting requests cost the process. */
  memory: number;
  connections: number;
  /** Milliseconds from the commit to an answer. */
  median: number;
  last: number;
  /** Milliseconds of the process's time for all answers. */
  processor: number;
}

/** A thousand requests of one organization that wait for the feed, each on a connection of its own, and are told of one event. */
export async function benchWaiting(serverUrl: string, options: BenchOptions): Promise<void> {
  const filled = await fill(serverUrl, { assets: 1_000, scans: 0 });
  const rounds: Round[] = [];
  for (let round = 0; round < options.repetitions; round++) {
    const server = await startServer('servers/full.ts', apiEnvironment(filled));
    rounds.push(await measureRound(server, filled));
    await server.stop();
  }
  await filled.drop();
  const of = (pick: (round: Round) => number, digits = 0) => show(spreadOf(rounds.map(pick)), digits);
  console.log(`\n${WAITING} requests that wait for the feed of moves`);
  console.log(`  memory, MB ${of(({ memory }) => memory / 1e6, 1)}   wanted 50`);
  console.log(`  more connections to the database ${of(({ connections }) => connections)}`);
  console.log(
    `  ms from commit to answer: median ${of(({ median }) => median)}   last ${of(({ last }) => last)}`,
  );
  console.log(`  ms of the process's time for all answers ${of(({ processor }) => processor)}`);
}

async function measureRound(server: ServerProcess, { url, orgId, keys }: Filled): Promise<Round> {
  const head = await append(url, orgId);
  // Whatever the first requests take for good: memory, and connections of the pool.
  for (let round = 0; round < 10; round++) {
    await Promise.all(keys.map((key, index) => ask(server, key, Math.max(0, head - index), 0)));
  }
  await pause(2_000);
  const [memory, connections] = [memoryOf(server.pid), await connectionsTo(url)];
  const times: number[] = [];
  let committed = Number.NaN;
  const answers = Array.from({ length: WAITING }, async (_, index) => {
    const body = await ask(server, keys[index % keys.length], head, 30);
    times.push(performance.now() - committed);
    if (JSON.parse(body).data.moves.length !== 1) {
      throw new Error(`a request was told ${body}`);
    }
  });
  while ((await waitingAt(server)) < WAITING) {
    await pause(50);
  }
  await pause(2_000);
  const round = {
    memory: memoryOf(server.pid) - memory,
    connections: (await connectionsTo(url)) - connections,
  };
  const spent = processorTime([server.pid]);
  await append(url, orgId);
  committed = performance.now();
  await Promise.all(answers);
  times.sort((a, b) => a - b);
  return {
    ...round,
    median: quantile(times, 0.5),
    last: times.at(-1) ?? Number.NaN,
    processor: (processorTime([server.pid]) - spent) * 1_000,
  };
}

async function ask(
  { url }: ServerProcess,
  key: string | undefined,
  after: number,
  wait: number,
): Promise<string> {
  const asked = request(`${url}/api/v1/moves?after=${after}&wait=${wait}`, {
    agent: false,
    headers: { authorization: `Bearer ${key}` },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return text(response);
}

async function waitingAt({ url }: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^tagtrail_api_waiting_requests (\d+)$/m.exec(metrics)?.[1]);
}

async function connectionsTo(url: string): Promise<number> {
  const { rows } = await onServer(url, (client) =>
    client.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name like 'tagtrail api'`,
    ),
  );
  return rows[0]?.count ?? Number.NaN;
}

/** An event of the first asset, sealed and announced. @returns its position. */
async function append(url: string, orgId: number): Promise<number> {
  const { rows } = await onServer(url, (client) =>
    client.query<{ head: number }>(
      `with head as (
         insert into move_heads as feed (org_id, head, sealed_at) values ($1, 1, now())
         on conflict (org_id) do update set head = feed.head + 1, sealed_at = now()
         returning head
       ), sealed as (
         insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at)
         select $1, head, now(), 1, 'moved', 1, 1, now() from head
       )
       select head, pg_notify('moves_sealed', $1 || ':' || head) from head`,
      [orgId],
    ),
  );
  return Number(rows[0]?.head);
}
