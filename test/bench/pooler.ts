import pg from 'pg';
import { addressOf } from '../../db/timescale/connections/addresses.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { openOrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { findLiveAsset } from '../../domain/master-data/assets/queries.ts';
import { runPgBouncer } from '../support/pgbouncer.ts';
import { backendsOf, processorTime, timeSince, timesOf } from '../support/processor-time.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { callFor, spreadId } from './call-for.ts';
import { interleaved } from './interleaved.ts';
import type { BenchOptions } from './options.ts';
import { fill } from './rows/seed.ts';

const ASSETS = 20_000;
const CALLERS = [1, 20];

/** As the API has it. */
const CONNECTIONS = 10;

/** Of a look-up, microseconds of processor time. */
interface Cost {
  perSecond: number;
  node: number;
  database: number;
  pooler: number;
}

/** An asset by its id without HTTP, directly and through PgBouncer, by one caller and by many. */
export async function benchPooler(serverUrl: string, options: BenchOptions): Promise<void> {
  const filled = await fill(serverUrl, { assets: ASSETS, scans: 0 });
  const pooler = await runPgBouncer(filled.url, ['pool_mode = transaction', 'default_pool_size = 40']);
  const client = new pg.Client(connectionConfig(filled.url));
  await client.connect();
  const doors = Object.entries({
    directly: filled.url,
    'through PgBouncer': addressOf({ direct: filled.url, pooled: pooler.url }),
  }).map(([way, address]) => ({
    way,
    door: openOrganizationDoor(address, { max: CONNECTIONS, applicationName: way }),
  }));
  const results = await interleaved(
    options.repetitions,
    Object.fromEntries(
      doors.flatMap(({ way, door }) =>
        CALLERS.map((callers) => [
          `${way}, ${callers} at once`,
          async () => {
            const before = {
              node: process.cpuUsage(),
              database: timesOf(await backendsOf(client, way)),
              pooler: processorTime([pooler.pid]),
            };
            const db = door.of(filled.orgId);
            const { calls, seconds } = await callFor(options.seconds, callers, (call) =>
              findLiveAsset(db, spreadId(call, ASSETS)),
            );
            const { user, system } = process.cpuUsage(before.node);
            const database = timeSince(before.database, await backendsOf(client, way));
            return {
              perSecond: calls / seconds,
              node: (user + system) / calls,
              database: (database * 1e6) / calls,
              pooler: ((processorTime([pooler.pid]) - before.pooler) * 1e6) / calls,
            };
          },
        ]),
      ),
    ),
  );
  console.log('\nAn asset by its id without HTTP: look-ups/s, and us of processor time of each');
  for (const [label, runs] of Object.entries(results)) {
    const of = (pick: (cost: Cost) => number) => show(spreadOf(runs.map(pick)), 0);
    console.log(
      `  ${label.padEnd(29)} ${of(({ perSecond }) => perSecond)}/s   Node.js ${of(({ node }) => node)}`,
    );
    console.log(`    database ${of(({ database }) => database)}   PgBouncer ${of((cost) => cost.pooler)}`);
  }
  await Promise.all(doors.map(({ door }) => door.end()));
  await client.end();
  await pooler.stop();
  await filled.drop();
}
