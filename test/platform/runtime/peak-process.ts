import { createLog } from '../../../platform/runtime/log.ts';
import { runProcess } from '../../../platform/runtime/run-process.ts';

/** A service that has needed much memory for a moment, and has nothing to do from then on. */
const MEGABYTE = 1_048_576;

await runProcess(() => ({
  log: createLog('peak', 'silent'),
  boot: async () => {
    setTimeout(() => {
      const start = process.memoryUsage.rss();
      const peak = takeMuch();
      const looking = setInterval(() => {
        const now = process.memoryUsage.rss();
        if (now - start < peak - now) {
          clearInterval(looking);
          process.stdout.write(`nearer to ${start / MEGABYTE} than to ${peak / MEGABYTE}\n`);
        }
      }, 100);
    }, 0);
    process.stdout.write('up\n');
  },
}));

/** @returns how much the process had then. */
function takeMuch(): number {
  const rows = Array.from({ length: 1_500_000 }, (_, id) => ({ id, name: `row ${id}`, tags: [id] }));
  return rows.length > 0 ? process.memoryUsage.rss() : 0;
}
