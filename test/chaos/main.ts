import { loadavg } from 'node:os';
import { firstSignal } from '../../platform/runtime/interruption.ts';
import { SERVER_URL } from '../support/database.ts';
import { hasTimescale } from './crashing-database.ts';
import { LONG_FORMS } from './long-forms.ts';
import { pickLongForm, usageOf } from './pick-long-form.ts';

/** Runs a scenario for long. Ends with 1 if anything is missing, doubled or wrong, and with 2 if it is interrupted. */
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usageOf(LONG_FORMS));
  process.exit();
}
const { form, rest } = pickLongForm(args, LONG_FORMS);
const { [SERVER_URL]: server } = process.env;
const isTimescale = server !== undefined && (await hasTimescale(server));

const interruption = new AbortController();
const interrupt = firstSignal(
  (signal) => {
    console.error(`${signal}: ending what was started; again to leave it`);
    // What is under way fails as its ground is taken away, and nobody waits for it.
    process.on('unhandledRejection', () => {});
    interruption.abort(new Error(`interrupted by ${signal}`));
  },
  () => process.exit(2),
);
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
try {
  process.exitCode = (await form.run(rest, isTimescale, interruption.signal)) ? 0 : 1;
  const [, ofFive = 0, ofFifteen = 0] = loadavg();
  console.log(
    `Load of the last five minutes ${ofFive.toFixed(0)}, of the last fifteen ${ofFifteen.toFixed(0)}`,
  );
} catch (error) {
  if (!interruption.signal.aborted) {
    throw error;
  }
  process.exit(2);
}
