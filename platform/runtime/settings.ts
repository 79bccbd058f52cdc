import { append } from '../../base/append.ts';
import { AppError } from '../../base/errors.ts';

export interface Setting<T> {
  purpose: string;
  /** Default as the user would write it; null if there is none. */
  initial: string | null;
  /** Value without text and default; `undefined` makes that a fault. */
  absent: T | undefined;
  range?: { readonly min: number; readonly max: number };
  remedy: string;
  isSecret?: boolean;
  /** @returns undefined if the text is not usable. */
  read(text: string): T | undefined;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Configuration<S> = { [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

/**
 * Reads settings from the environment, once. An empty variable counts as unset.
 *
 * @param rules conditions between settings: each returns a fault, or null.
 * @throws AppError `misconfigured` with every fault, each naming the setting and the remedy.
 */
export function readSettings<S extends Settings>(
  settings: S,
  environment: NodeJS.ProcessEnv,
  rules: readonly ((configuration: Configuration<S>) => string | null)[] = [],
): Configuration<S> {
  const configuration: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, setting] of Object.entries(settings)) {
    const given = environment[name] ?? '';
    const text = given === '' ? setting.initial : given;
    const value = text === null ? setting.absent : setting.read(text);
    if (value === undefined) {
      const fault =
        text === null ? 'is not set' : setting.isSecret === true ? 'is not valid' : `is "${text}"`;
      faults.push(`${name} ${fault}; set ${name} to ${setting.remedy}`);
    }
    configuration[name] = value;
  }
  if (faults.length === 0) {
    append(
      faults,
      rules.flatMap((rule) => rule(configuration as Configuration<S>) ?? []),
    );
  }
  if (faults.length > 0) {
    throw new AppError('misconfigured', faults.join('\n'));
  }
  return configuration as Configuration<S>;
}
