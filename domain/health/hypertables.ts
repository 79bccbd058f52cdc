import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { type Finding, ok, warning } from './finding.ts';

const TABLES = ['scan_events', 'location_transitions', 'moves', 'tag_readings'];

export async function examineHypertables(db: Connection): Promise<Finding> {
  const timescale = await db.maybeOne(sql.type(rowsOf<{ version: string; licence: string | null }>())`
    select extversion as version, current_setting('timescaledb.license', true) as licence
    from pg_extension where extname = 'timescaledb'`);
  if (timescale === null) {
    return warning(
      'hypertables',
      'There is no TimescaleDB here: everything works, but old scans are deleted row by row',
      'Fine for trials and small sites. Large ones need a database with TimescaleDB: see deploy/grow.md',
    );
  }
  const hypertables = await db.any(sql.type(rowsOf<{ name: string }>())`
    select hypertable_name::text as name from timescaledb_information.hypertables
    where hypertable_name = any(${sql.array(TABLES, 'text')})`);
  const plain = TABLES.filter((table) => !hypertables.some(({ name }) => name === table));
  if (plain.length > 0) {
    return warning(
      'hypertables',
      `TimescaleDB ${timescale.version} is installed, but ${plain.join(' and ')} are ordinary tables: the extension was added after the migrations`,
      'Create a new database, migrate it, and move the data there: see deploy/grow.md',
    );
  }
  const edition =
    timescale.licence === 'timescale' ? 'community edition' : 'Apache edition, without compression';
  return ok('hypertables', `TimescaleDB ${timescale.version}, ${edition}`);
}
