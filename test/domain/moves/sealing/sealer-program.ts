import { startSealing } from '../../../support/sealing.ts';

/** Seals what is at DATABASE_URL until it is killed. */
const url = process.env['DATABASE_URL'];
if (url === undefined) {
  throw new Error('DATABASE_URL is not set');
}
startSealing(url, {
  onBegin: () => process.stdout.write('sealing\n'),
  onFault: () => process.stdout.write('fault\n'),
});
