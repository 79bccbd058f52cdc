import type { Client } from '../../../db/timescale/connections/client.ts';
import { type Finding, ok, warning } from './finding.ts';

const TABLES = ['scan_events', 'location_transitions'];

/** Whether the tables that grow are hypertables, and under which licence. */
export async function examineHypertables(client: Client): Promise<Finding> {
  const { rows } = await client.query<{ version: string; licence: string | null }>(
    `select extversion as version, current_setting('timescaledb.license', true) as licence
     from pg_extension where extname = 'timescaledb'`,
  );
  const [timescale] = rows;
  if (timescale === undefined) {
    return warning(
      'hypertables',
      'There is no TimescaleDB here: everything works, but old scans are deleted row by row',
      'Good for a trial and for small sites. For large ones move to a database with TimescaleDB: see deploy/README.md',
    );
  }
  const { rows: hypertables } = await client.query<{ name: string }>(
    `select hypertable_name::text as name from timescaledb_information.hypertables
     where hypertable_name = any($1::text[])`,
    [TABLES],
  );
  const plain = TABLES.filter((table) => !hypertables.some(({ name }) => name === table));
  if (plain.length > 0) {
    return warning(
      'hypertables',
      `TimescaleDB ${timescale.version} is here, but ${plain.join(' and ')} are ordinary tables: the extension came after the migrations`,
      'Make a new database, migrate it, and move the data there: see deploy/README.md',
    );
  }
  const edition =
    timescale.licence === 'timescale' ? 'community edition' : 'Apache edition, without compression';
  return ok('hypertables', `TimescaleDB ${timescale.version}, ${edition}`);
}
