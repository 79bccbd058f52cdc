import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import {
  type OrganizationConnection,
  openOrganizationDoor,
} from '../../db/timescale/connections/organization-door.ts';
import { gatherWrites, PipelinedConnections } from '../../db/timescale/connections/pipelined-connections.ts';
import { verbsOn } from '../../db/timescale/queries/verbs.ts';
import { findLiveAsset } from '../../domain/master-data/assets/queries.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { callFor, spreadId } from './call-for.ts';
import { interleaved } from './interleaved.ts';
import type { BenchOptions } from './options.ts';
import { fill } from './rows/seed.ts';

const ASSETS = 20_000;
const CALLERS = 32;
const CONNECTIONS = 10;

/** As the door has it. */
const ENTER = {
  name: 'enter-organization',
  text: `select from (select set_config('tagtrail.org_id', $1, true) as org_id offset 0) setting where org_id is null`,
  parameters: 1,
};

/**
 * What keeping organizations apart in the database costs a look-up, without HTTP: through the door, where a setting
 * goes in front of every statement and policies apply; the same two statements by a role that policies do not apply
 * to; and the look-up alone by that role.
 */
export async function benchRowSecurity(serverUrl: string, options: BenchOptions): Promise<void> {
  const filled = await fill(serverUrl, { assets: ASSETS, scans: 0 });
  const door = openOrganizationDoor(filled.url, { max: CONNECTIONS });
  const db = door.of(filled.orgId);
  const config = { ...connectionConfig(filled.url), pipeline: true };
  const bypassing = new PipelinedConnections(config, CONNECTIONS / 2, [ENTER]);
  const alone = over(filled.orgId, (query) =>
    bypassing.query({ ...{ name: ENTER.name, text: ENTER.text }, values: [String(filled.orgId)] }, query),
  );
  const neither = over(filled.orgId, await connect(config));
  const results = await interleaved(options.repetitions, {
    'setting and policies': () => rate(options.seconds, (id) => findLiveAsset(db, id)),
    'setting alone': () => rate(options.seconds, (id) => findLiveAsset(alone, id)),
    neither: () => rate(options.seconds, (id) => findLiveAsset(neither, id)),
  });
  console.log(`\nRow-level security: look-ups/s without HTTP, ${CALLERS} callers`);
  for (const [label, rates] of Object.entries(results)) {
    const share = rates.map((each, round) => each / (results.neither[round] ?? Number.NaN));
    console.log(`  ${label.padEnd(21)} ${show(spreadOf(rates), 0)}   ${show(spreadOf(share), 2)} of neither`);
  }
  await bypassing.end();
  await door.end();
  await filled.drop();
}

type Send = (query: pg.QueryConfig) => Promise<pg.QueryResult>;

/** What the look-up needs of a connection. */
function over(orgId: number, send: Send): OrganizationConnection {
  return { orgId, ...verbsOn(send) };
}

/** As many pipelined connections as the door shares, taken in turn. They end when the database is dropped. */
async function connect(config: pg.ClientConfig): Promise<Send> {
  const clients: pg.Client[] = [];
  while (clients.length < CONNECTIONS / 2) {
    const client = new pg.Client(config);
    client.on('error', () => {});
    await client.connect();
    clients.push(client);
  }
  return (query) => {
    const client = clients.shift() ?? new pg.Client(config);
    clients.push(client);
    gatherWrites(client);
    return client.query(query);
  };
}

async function rate(seconds: number, lookUp: (id: number) => Promise<unknown>): Promise<number> {
  const run = await callFor(seconds, CALLERS, (call) => lookUp(spreadId(call, ASSETS)));
  return run.calls / run.seconds;
}
