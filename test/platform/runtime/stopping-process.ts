import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { runProcess } from '../../../platform/runtime/run-process.ts';

/** A process of which one part cannot be stopped, if it is told `hangs`, or takes its time, if it is told `slow`. */
const how = process.argv[2];
await runProcess(() => ({
  log: pino(),
  patience: Number(process.argv[3] ?? 300),
  boot: async (lifecycle) => {
    const part = () => setInterval(() => {}, 1_000);
    await lifecycle.start('part', part, () =>
      how === 'hangs' ? new Promise(() => {}) : setTimeout(how === 'slow' ? 200 : 0),
    );
    process.stdout.write('running\n');
  },
}));
