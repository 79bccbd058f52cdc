import { parseArgs } from 'node:util';
import type { LongForm } from './long-form.ts';

/**
 * The scenario that `--scenario` names, the first of them without, and what else was typed.
 *
 * @throws TypeError that lists the scenarios if there is none of that name.
 */
export function pickLongForm(
  args: readonly string[],
  forms: Readonly<Record<string, LongForm>>,
): { form: LongForm; rest: string[] } {
  const rest = [...args];
  const at = rest.findIndex((arg) => arg === '--scenario' || arg.startsWith('--scenario='));
  const typed = at < 0 ? [] : rest.splice(at, rest[at] === '--scenario' ? 2 : 1);
  const [first] = Object.keys(forms);
  const { values } = parseArgs({ args: typed, options: { scenario: { type: 'string', default: first } } });
  const form = Object.entries(forms).find(([name]) => name === values.scenario)?.[1];
  if (form === undefined) {
    throw new TypeError(`--scenario ${values.scenario} is not one of ${Object.keys(forms).join(', ')}`);
  }
  return { form, rest };
}

/** How it is used: each scenario with its own options. */
export function usageOf(forms: Readonly<Record<string, LongForm>>): string {
  return [
    'npm run chaos -- [--scenario NAME] [OPTIONS]',
    ...Object.entries(forms).map(
      ([name, { summary, options }], index) =>
        `\n${name}${index === 0 ? ' (default)' : ''}: ${summary}\n  ${options}`,
    ),
    '\non the embedded PostgreSQL, or where TEST_DATABASE_URL names a TimescaleDB server on a TimescaleDB server of its own',
  ].join('\n');
}
