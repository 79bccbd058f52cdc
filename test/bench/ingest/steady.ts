import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { timeSince, timesOf } from '../../support/processor-time.ts';
import { committed } from './counters.ts';
import { publishEvenly, startIngestion } from './even-rate.ts';
import type { IngestOptions } from './options.ts';
import { createSite, onServer } from './site.ts';
import { sizesOf, writtenLog } from './storage.ts';

/**
 * The cost of reads at an even rate that leaves the machine idle most of the time, where a commit has a few messages: the
 * share of a core of each process, and bytes on disk and in the write-ahead log, checkpoints included. The first
 * minute, in which every asset is first seen, does not count.
 */
export async function benchSteady(serverUrl: string, options: IngestOptions): Promise<void> {
  const { minutes, rate } = options;
  for (const readsPerMessage of options.reads) {
    const site = await createSite(serverUrl, 0);
    const { child, broker, stop } = await startIngestion(site);
    await onServer(site.url, async (client) => {
      const publish = (forMinutes: number) =>
        publishEvenly(site, broker.port, {
          ...{ minutes: forMinutes, rate, readsPerMessage, strangers: 0, late: 0, poison: 0 },
        });
      await publish(1);
      await client.query('vacuum');
      await client.query('checkpoint');
      const server = await parentOf(client);
      const processes = () => ({
        ingestion: [child.pid ?? 0],
        mosquitto: [broker.pid],
        database: [server, ...childrenOf(server)],
      });
      const before = await stateOf(client);
      const times = timesOf(Object.values(processes()).flat());
      const began = performance.now();
      await publish(minutes);
      await client.query('checkpoint');
      const seconds = (performance.now() - began) / 1_000;
      const shares = Object.entries(processes()).map(
        ([name, pids]) => `${name} ${((100 * timeSince(times, pids)) / seconds).toFixed(1)} %`,
      );
      await client.query('vacuum');
      const after = await stateOf(client);
      const reads = after.reads - before.reads;
      const moves = after.moves - before.moves;
      console.log(
        `\n${rate} messages/s of ${readsPerMessage} reads, ${minutes} minutes: ${(reads / seconds).toFixed(0)} reads/s, ${(moves / seconds).toFixed(1)} moves/s`,
      );
      console.log(`  of a core: ${shares.join(', ')}`);
      console.log(`  commits: ${((after.commits - before.commits) / seconds).toFixed(1)} a second`);
      console.log(`  write-ahead log: ${((after.log - before.log) / reads).toFixed(0)} bytes a read`);
      for (const [table, bytes] of after.sizes) {
        const grown = bytes - (before.sizes.get(table) ?? 0);
        if (grown > reads) {
          console.log(
            `  ${table}: ${(grown / reads).toFixed(0)} bytes a read, ${(grown / moves).toFixed(0)} a move`,
          );
        }
      }
    });
    await stop();
    await site.drop();
  }
}

async function stateOf(client: pg.Client) {
  const { reads } = await committed(client);
  const { rows } = await client.query<{ moves: number; commits: number }>(
    `select (select count(*) from moves)::float8 as moves,
       (select xact_commit from pg_stat_database where datname = current_database())::float8 as commits`,
  );
  return {
    reads,
    moves: 0,
    commits: 0,
    ...rows[0],
    log: await writtenLog(client),
    sizes: await sizesOf(client),
  };
}

async function parentOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return ofStatus(rows[0]?.pid ?? 0);
}

/** Those there are now: what has ended meanwhile is not counted. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && ofStatus(pid) === parent);
}

/** The parent of a process; 0 if it has ended. */
function ofStatus(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
