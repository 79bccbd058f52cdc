import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import { whileElected } from '../../../db/timescale/connections/elected.ts';

/** Stands for election until it is killed, and says what became of it. */
const url = process.env['DATABASE_URL'] ?? '';
for (;;) {
  await whileElected(url, ADVISORY_LOCKS.alerts, { name: 'test elected' }, async ({ lost }) => {
    process.stdout.write('elected\n');
    await new Promise((resolve) => lost.addEventListener('abort', resolve));
    process.stdout.write('lost\n');
  });
}
