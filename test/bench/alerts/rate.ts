import { setTimeout as pause } from 'node:timers/promises';
import { show, spreadOf } from '../../support/statistics.ts';
import type { Installation } from '../ingest/installation.ts';
import { type Run, run, type Variant } from '../ingest/run.ts';
import { onServer } from '../ingest/site.ts';
import { report } from '../ingest/throughput.ts';
import { interleaved } from '../interleaved.ts';
import type { AlertOptions } from './options.ts';
import { untilDerived } from './rules.ts';
import type { Sides } from './sides.ts';

/** A run, and what it told the feed, a read. */
interface ToldRun extends Run {
  moves: number;
  alerts: number;
}

const VARIANT: Variant = {
  ...{ name: '', source: 'embedded', readsPerMessage: 50, late: 0, poison: 0 },
  ...{ isContinued: true, isStamped: true },
};

/** Milliseconds that it takes until all is derived, if nothing is left to do: so long the other side waits, too. */
const DERIVED_AFTER = 2_500;

/**
 * With rules against without, as fast as can be, at each share of reads that are moves. What is derived after the last
 * commit counts for processor time, not for the rate.
 */
export async function measureRate(
  { plain, ruled, copy }: Sides,
  { moves: shares, count, rounds, readings }: AlertOptions,
): Promise<void> {
  const withoutRules = (moves: number) =>
    toldRun(plain, copy.url, { moves, count, readings }, () => pause(DERIVED_AFTER));
  const withRules = (moves: number) =>
    toldRun(ruled, copy.url, { moves, count, readings }, () => untilDerived(ruled.client));
  const results = await interleaved<string, ToldRun>(
    rounds,
    Object.fromEntries(
      shares.flatMap((moves): [string, () => Promise<ToldRun>][] => [
        [`${moves} without`, () => withoutRules(moves)],
        [`${moves} with`, () => withRules(moves)],
      ]),
    ),
  );
  for (const moves of shares) {
    const [without, derived] = [results[`${moves} without`] ?? [], results[`${moves} with`] ?? []];
    report(
      `Ingestion, ${100 * moves} % of the reads moves`,
      { 'without rules': without, 'with 20 rules': derived },
      'without rules',
    );
    reportDeriving(derived, without);
  }
  if ((await ruled.client.query('select from alert_floods')).rowCount !== 0) {
    console.log('\nMore alerts were to be raised than may be within an hour: take fewer reads or rounds');
  }
}

async function toldRun(
  installed: Installation,
  copyUrl: string,
  { moves, count, readings }: { moves: number; count: number; readings: number },
  afterwards: () => Promise<void>,
): Promise<ToldRun> {
  const since = new Date();
  const one = await run(installed, copyUrl, { ...VARIANT, moves, readings }, count, afterwards);
  const { rows } = await installed.client.query<{ moves: number; alerts: number }>(
    `select count(asset_id)::float8 as moves, (count(*) - count(asset_id))::float8 as alerts
     from moves where recorded_at >= $1`,
    [since],
  );
  const late = await installed.client.query('select from reader_delays where ended_at >= $1', [since]);
  if (late.rowCount !== 0) {
    console.log(`Reads of ${late.rowCount} readers came late, so alerts were derived anew`);
  }
  await emptyCopy(copyUrl);
  const [told = { moves: 0, alerts: 0 }] = rows;
  return { ...one, moves: told.moves / one.reads, alerts: told.alerts / one.reads };
}

/** What the runs with rules take more than those without, of the same round. */
function reportDeriving(derived: readonly ToldRun[], without: readonly ToldRun[]): void {
  const more = (time: (run: ToldRun) => number, per: (run: ToldRun) => number = () => 1) =>
    spreadOf(
      derived.map((one, round) => {
        const other = without[round];
        return other === undefined ? Number.NaN : (time(one) - time(other)) / per(one);
      }),
    );
  const told = (count: (run: ToldRun) => number) => show(spreadOf(derived.map(count)), 1);
  const [node, database] = [(one: ToldRun) => one.nodeTime, (one: ToldRun) => one.databaseTime];
  const both = (one: ToldRun) => one.nodeTime + one.databaseTime;
  console.log(
    `    deriving, us a read: Node.js ${show(more(node), 2)}   database ${show(more(database), 2)}` +
      `   us a move, both: ${show(
        more(both, (one) => one.moves),
        1,
      )}`,
  );
  console.log(
    `    of 100 reads ${told(({ moves }) => 100 * moves)} moves   of 100 moves ${told(({ alerts, moves }) => (100 * alerts) / moves)} alerts opened, closed or withdrawn`,
  );
}

/** What was copied is of no use any more: of all rounds together it would fill the disk. */
export async function emptyCopy(url: string): Promise<void> {
  await onServer(url, (client) => client.query('truncate scan_events'));
}
