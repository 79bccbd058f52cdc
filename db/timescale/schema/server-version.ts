import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';

/** Its built-in locale provider folds case for searches. */
const OLDEST_VERSION = 170_000;

/** The remedy if a server of this `server_version_num` is too old; otherwise null. */
export function remedyOfVersion(versionNumber: number): string | null {
  return versionNumber < OLDEST_VERSION ? 'Move to PostgreSQL 17 or newer' : null;
}

/** @throws AppError `misconfigured` if tagtrail does not run on it. */
export async function requireServerVersion(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: string; version_number: number }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer as version_number`,
  );
  for (const { version, version_number: versionNumber } of rows) {
    const remedy = remedyOfVersion(versionNumber);
    if (remedy !== null) {
      throw new AppError('misconfigured', `PostgreSQL ${version} is too old. ${remedy}`);
    }
  }
}
