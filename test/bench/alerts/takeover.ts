import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { AlertTurns } from '../../../domain/alerts/deriving/take-turn.ts';
import { show, spreadOf } from '../../support/statistics.ts';
import { onServer } from '../ingest/site.ts';

/** The first pass over all assets by a process that takes over, in this process; nothing else runs. */
export async function measureTakeover(url: string): Promise<void> {
  await onServer(url, (client) => client.query(`update alert_derivation set derived_at = '-infinity'`));
  const pool = createWritePool(url, { max: 1 });
  const turns = new AlertTurns(pool);
  const [begun, spent] = [performance.now(), process.cpuUsage()];
  const times: number[] = [];
  for (let taken = 'behind'; taken === 'behind'; ) {
    const since = performance.now();
    taken = await turns.take();
    times.push(performance.now() - since);
  }
  const { user } = process.cpuUsage(spent);
  await pool.end();
  console.log('\nFirst pass of a process that takes over');
  console.log(
    `  ${((performance.now() - begun) / 1_000).toFixed(1)} s, ${(user / 1e6).toFixed(1)} of processor time of Node.js`,
  );
  console.log(`  ${times.length} turns, ms each ${show(spreadOf(times), 0)}`);
}
