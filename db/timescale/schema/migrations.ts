import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { AppError } from '../../../base/errors.ts';

export interface Migration {
  /** File name without `.sql`: number and subject. Of the functions: their digest. */
  name: string;
  sql: string;
}

/** The migrations in the order in which they are applied, and last the functions, whose name changes with their text. */
export function readMigrations(): Migration[] {
  const folder = new URL('migrations/', import.meta.url);
  const migrations = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), sql: readSql(new URL(file, folder)) }));
  const functions = readSql(new URL('functions.sql', import.meta.url));
  const digest = createHash('sha256').update(functions).digest('hex').slice(0, 16);
  return [...migrations, { name: `${FUNCTIONS}${digest}`, sql: functions }];
}

/** An SQL file with the files it includes by psql's `\ir`. */
function readSql(file: URL): string {
  return readFileSync(file, 'utf8').replaceAll(/^\\ir (.+)$/gm, (_, path: string) =>
    readSql(new URL(path, file)),
  );
}

const FUNCTIONS = 'functions-';

/** The functions of any version; a ledger has one entry for them. */
export function isFunctions({ name }: Pick<Migration, 'name'>): boolean {
  return name.startsWith(FUNCTIONS);
}

/** The newest migration that changes tables. */
export function newestOf(migrations: readonly Migration[]): string {
  return migrations.findLast((migration) => !isFunctions(migration))?.name ?? '';
}

/**
 * The migrations of a database or backup, by the names in its ledger.
 *
 * @param whose begins the message of an error.
 * @throws AppError `conflict` if a newer version wrote them, or one that is too old.
 */
export function appliedOf(
  migrations: readonly Migration[],
  names: readonly string[],
  whose: 'The database' | 'The backup',
): Migration[] {
  const applied = new Set(isBeforeBaseline(names) ? [BASELINE] : names);
  const known = new Set(migrations.map(({ name }) => name));
  const strange = [...applied].findLast((name) => !known.has(name) && !isFunctions({ name }));
  if (strange !== undefined) {
    throw new AppError('conflict', `${whose} has migration ${strange}, ${remedyOf(strange)}`);
  }
  return migrations.filter(({ name }) => applied.has(name));
}

function remedyOf(strange: string): string {
  return strange < BASELINE
    ? `of a version before 0.2. Let commit ${LAST_COMMIT} migrate it first (a backup: restore it with that commit), then use this version.`
    : 'which this version does not know. Use the version that made it, or a newer one.';
}

/** True at the last migration before the baseline, which left the tables that the baseline makes. */
export function isBeforeBaseline(names: readonly string[]): boolean {
  return names.includes(LAST_MIGRATION);
}

export const BASELINE = '0200-baseline';
export const LAST_MIGRATION = '0098-silence-faults';

/** The last commit before the baseline; it also finishes that version's work after its migrations. */
export const LAST_COMMIT = 'e51fa94e0444b4a771ff5319a263f927ea762a1a';
