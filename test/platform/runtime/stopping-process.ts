import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { runProcess } from '../../../platform/runtime/run-process.ts';

/** A process of which one part cannot be stopped, if `HOW` is `hangs`, or takes its time, if it is `slow`. */
const { HOW: how, PATIENCE_MS = '300' } = process.env;
await runProcess(() => ({
  log: pino(),
  patience: Number(PATIENCE_MS),
  boot: async (lifecycle) => {
    const part = () => setInterval(() => {}, 1_000);
    await lifecycle.start('part', part, () =>
      how === 'hangs' ? new Promise(() => {}) : setTimeout(how === 'slow' ? 200 : 0),
    );
    process.stdout.write('running\n');
  },
}));
