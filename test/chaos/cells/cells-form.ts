import { parseArgs } from 'node:util';
import { show, spreadOf } from '../../support/statistics.ts';
import type { LongForm } from '../long-form.ts';
import { randomFrom } from '../random-from.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { type CellsRun, runCells } from './cells-run.ts';
import { makeTwoCells } from './two-cells.ts';

export const CELLS: LongForm = {
  summary:
    'an organization moved between two cells behind HAProxy, there and back, while it and two others are in use; every second ' +
    'move is killed and run again (haproxy)',
  options: '[--moves 10] [--kills 4, of each second move] [--readers 4] [--seed 1]',
  run: async (args, isTimescale, signal) => {
    const { values } = parseArgs({
      args,
      options: {
        moves: { type: 'string', default: '10' },
        kills: { type: 'string', default: '4' },
        readers: { type: 'string', default: '4' },
        seed: { type: 'string', default: '1' },
      },
    });
    const cells = await makeTwoCells(isTimescale);
    try {
      const run = await unlessAborted(signal, () =>
        runCells(
          cells,
          { moves: Number(values.moves), kills: Number(values.kills), readers: Number(values.readers) },
          randomFrom(Number(values.seed)),
        ),
      );
      console.log(showRun(run));
      return (
        run.neighboursRefused === 0 &&
        run.faults.every((faults) => Object.values(faults).every((count) => count === 0))
      );
    } finally {
      await cells.remove();
    }
  },
};

function showRun({ tenants, faults, ...run }: CellsRun): string {
  const spread = (figures: number[]) => (figures.length === 0 ? 'none' : show(spreadOf(figures), 0));
  return [
    `Two cells behind HAProxy, ${run.moves} moves, ${run.kills} kills of the command, ${run.seconds.toFixed(0)} s`,
    `  503 during a move, ms              ${spread(run.refusedFor)}`,
    `  the same where it was killed, ms   ${spread(run.refusedForByKills)}`,
    `  neighbours answered otherwise      ${run.neighboursRefused} times`,
    ...tenants.map(
      ({ name, created, reads, slowest }, index) =>
        `  ${name}: ${created} assets, ${reads} reads; lost ${faults[index]?.lost}, doubled ${faults[index]?.doubled}, ` +
        `wrong answers ${faults[index]?.wrong}; slowest answer ${slowest.toFixed(0)} ms`,
    ),
  ].join('\n');
}
