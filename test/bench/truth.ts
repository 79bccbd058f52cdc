import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { table } from '../../base/table.ts';
import { withDatabase } from '../../db/timescale/connections/database-url.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createDatabase } from '../../db/timescale/schema/create-database.ts';
import { migrate } from '../../db/timescale/schema/migrate.ts';
import { type Answers, type Measures, measure } from '../support/location/figures.ts';
import {
  type Kind,
  type Moves,
  OPEN_HALF,
  PROCEDURES,
  type Procedure,
  type Result,
  readMeasured,
} from '../support/location/measured.ts';
import { installMeasured, storedMoves } from '../support/location/measured-site.ts';
import { type Arrival, recordAndLook, recordArriving } from '../support/location/play.ts';
import type { Rows } from '../support/site.ts';
import { typedOptions } from '../support/typed-options.ts';
import { openDatabaseServer } from './database-server.ts';

/**
 * How often what is said of assets is right, by reads of tags whose true positions are known: `npm run bench:truth`. Each
 * division and procedure is an organization of its own, and all reads go through the recorder; once more shuffled and in late
 * pieces, which must end in the same histories; else it ends with 1. Divisions are those of the folder's plan.json. As JSON:
 * {"<division> <procedure>": {figures, moves}}, as in expected.json.
 */

/** Beside the order of time, in which answers are looked at second by second. */
const OTHER_ARRIVALS: readonly Arrival[] = ['shuffled', 'in late pieces of an hour'];

const { values } = typedOptions('bench:truth', {
  options: {
    data: { type: 'string', default: OPEN_HALF },
    divisions: { type: 'string' },
    procedures: { type: 'string', default: PROCEDURES.join() },
    json: { type: 'boolean', default: false },
  },
});
const measured = readMeasured(resolve(values.data));
const divisions = listed('--divisions', values.divisions, Object.keys(measured.plan.zonings));
const procedures = listed('--procedures', values.procedures, PROCEDURES) as Procedure[];

const server = await openDatabaseServer();
const url = withDatabase(server.url, `bench_truth_${randomBytes(4).toString('hex')}`);
await createDatabase(url);
await migrate(url);
const pool = createWritePool(url, { max: 4, applicationName: 'tagtrail bench' });
const database: Rows & { pool: typeof pool } = {
  pool,
  rows: async (sql, parameters = []) => (await pool.query(sql, parameters)).rows,
};
const results: Record<string, Result> = {};
const lines: string[][] = [];
try {
  for (const division of divisions) {
    for (const procedure of procedures) {
      await play(division, procedure);
    }
  }
} finally {
  await pool.end();
  await server.close();
}
if (values.json) {
  console.log(JSON.stringify(results));
} else {
  const heads = [
    'division',
    'by',
    '',
    'right %',
    'at the moment %',
    'moves',
    'true',
    'noticed',
    'lag s',
    'm',
  ];
  console.log(table([...heads, ...OTHER_ARRIVALS], lines).join('\n'));
}

async function play(division: string, procedure: Procedure): Promise<void> {
  const site = await installMeasured(database, measured, division, procedure);
  const moments = await recordAndLook(database, site, measured);
  const moves = await storedMoves(database, site);
  const same = await Promise.all(
    OTHER_ARRIVALS.map(async (arrival) => {
      const other = await installMeasured(database, measured, division, procedure);
      await recordArriving(pool, other, measured, arrival);
      return differences(moves, await storedMoves(database, other));
    }),
  );
  const measuredAs = (kind: Kind) =>
    measure(kind, measured, measured.plan.zonings[division] ?? [], { moves, moments } satisfies Answers);
  const of: Record<Kind, Measures> = { walk: measuredAs('walk'), rest: measuredAs('rest') };
  results[`${division} ${procedure}`] = {
    figures: { walk: of.walk.figures, rest: of.rest.figures },
    moves,
  };
  for (const [kind, measures] of Object.entries(of).filter(([, { figures }]) => figures.seconds > 0)) {
    lines.push([division, procedure, kind, ...cells(measures), ...same.map(sameText)]);
  }
  console.error(`${division} ${procedure}: played`);
  if (same.some((different) => different > 0)) {
    process.exitCode = 1;
  }
}

function cells({ figures, lag, noticed, metres }: Measures): string[] {
  return [
    figures.right_percent.toFixed(1),
    figures.right_at_the_moment_percent.toFixed(1),
    String(figures.moves),
    String(figures.true_moves),
    String(noticed),
    lag === null ? '' : lag.toFixed(0),
    metres === null ? '' : metres.toFixed(1),
  ];
}

/** Tags whose moves are not the same. */
function differences(moves: Moves, others: Moves): number {
  return Object.keys(moves).filter((tag) => JSON.stringify(moves[tag]) !== JSON.stringify(others[tag]))
    .length;
}

function sameText(different: number): string {
  return different === 0 ? 'same' : `${different} tags differ`;
}

function listed(option: string, typed: string | undefined, all: readonly string[]): readonly string[] {
  const names = typed?.split(',') ?? all;
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`${option} ${unknown}: it must be of ${all.join(', ')}`);
  }
  return names;
}
