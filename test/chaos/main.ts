import { SERVER_URL } from '../support/database.ts';
import { hasTimescale } from './crashing-database.ts';
import { LONG_FORMS } from './long-forms.ts';
import { pickLongForm, usageOf } from './pick-long-form.ts';

/** Runs a scenario for long. Ends with 1 if anything is missing, doubled or wrong. */
const args = process.argv.slice(2);
if (args.includes('--help')) {
  console.log(usageOf(LONG_FORMS));
  process.exit();
}
const { form, rest } = pickLongForm(args, LONG_FORMS);
const { [SERVER_URL]: server } = process.env;
const isTimescale = server !== undefined && (await hasTimescale(server));
process.exitCode = (await form.run(rest, isTimescale)) ? 0 : 1;
