import { AppError } from '../../base/errors.ts';

/** One environment variable: what it is for, what it is when it is not set, and how its text is read. */
export interface Setting<T> {
  /** What it decides, for the documentation. */
  purpose: string;
  /** Its default as one would write it; null if it must be set or may be missing. */
  initial: string | null;
  /** What it is without text and default; `undefined` if that is a fault. */
  absent: T | undefined;
  /** Of a number, what it can be; for the documentation. */
  range?: { readonly min: number; readonly max: number };
  /** What to do about a fault, completing "set NAME to". */
  remedy: string;
  /** Its text is not repeated in messages. */
  isSecret?: boolean;
  /** @returns undefined if the text is not usable. */
  read(text: string): T | undefined;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Configuration<S> = { [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

/**
 * Reads settings from the environment, once. An empty variable is as if not set.
 *
 * @param rules what must hold between settings: each gives a fault, or null.
 * @throws AppError `misconfigured` with every fault, each naming the setting and what to do.
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
    faults.push(...rules.flatMap((rule) => rule(configuration as Configuration<S>) ?? []));
  }
  if (faults.length > 0) {
    throw new AppError('misconfigured', faults.join('\n'));
  }
  return configuration as Configuration<S>;
}
