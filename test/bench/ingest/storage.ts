import type pg from 'pg';
import type { IngestOptions } from './options.ts';
import { run } from './run.ts';
import { onSites } from './throughput.ts';

/** Bytes by table, with indexes, chunks counted to their hypertable. */
type Sizes = ReadonlyMap<string, number>;

/** What reads add to the database's disk and to its write-ahead log: where none is a move, and where all are. */
export async function benchStorage(serverUrl: string, options: IngestOptions): Promise<void> {
  const [source = 'embedded'] = options.sources;
  const sizes = options.history.slice(0, 1);
  await onSites(serverUrl, options, sizes, async ([installed, copy]) => {
    const { client } = installed;
    const record = (moves: number, reads: number) => {
      const variant = { name: '', source, readsPerMessage: 50, late: 0, poison: 0, moves };
      return run(installed, copy.url, variant, reads);
    };
    // After this every asset is where it is first read, and every table has its first pages.
    await record(0, options.count);
    for (const moves of [0, 1]) {
      await client.query('vacuum');
      const before = await sizesOf(client);
      const log = await writtenLog(client);
      await record(moves, options.count);
      const written = (await writtenLog(client)) - log;
      await client.query('vacuum');
      const added = growth(before, await sizesOf(client));
      console.log(`\nBytes a read, ${moves === 0 ? 'none a move' : 'every one a move'}`);
      for (const [table, bytes] of added) {
        if (bytes >= options.count) {
          console.log(`  ${table.padEnd(28)} ${(bytes / options.count).toFixed(0)}`);
        }
      }
      console.log(`  ${'write-ahead log'.padEnd(28)} ${(written / options.count).toFixed(0)}`);
    }
  });
}

export async function sizesOf(client: pg.Client): Promise<Sizes> {
  const { rows } = await client.query<{ name: string; bytes: number }>(
    `select coalesce(parent.relname, own.relname) as name, sum(pg_total_relation_size(own.oid))::float8 as bytes
     from pg_class own
     left join pg_inherits on inhrelid = own.oid
     left join pg_class parent on parent.oid = inhparent
     where own.relkind = 'r' and own.relnamespace <> 'pg_catalog'::regnamespace
     group by 1`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

export async function writtenLog(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`,
  );
  return rows[0]?.bytes ?? 0;
}

function growth(before: Sizes, after: Sizes): [string, number][] {
  return [...after]
    .map(([table, bytes]): [string, number] => [table, bytes - (before.get(table) ?? 0)])
    .sort(([, one], [, other]) => other - one);
}
