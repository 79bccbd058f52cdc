import { pino } from 'pino';
import { runProcess } from '../../../services/shared/runtime/run-process.ts';

/** A process of which one part cannot be stopped, if it is told `hangs`. */
await runProcess(() => ({
  log: pino(),
  patience: 300,
  boot: async (lifecycle) => {
    const part = () => setInterval(() => {}, 1_000);
    await lifecycle.start('part', part, () =>
      process.argv[2] === 'hangs' ? new Promise(() => {}) : undefined,
    );
    process.stdout.write('running\n');
  },
}));
