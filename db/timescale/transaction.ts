import pg from 'pg';

/**
 * Runs `work` in a transaction on a connection of its own, again from the start when the database gave it up for the
 * sake of another (deadlock, serialization) or when `isRetryable` says so of what `work` threw.
 *
 * @param work is told which attempt this is, from 1.
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, attempt: number) => Promise<Result>,
  isRetryable: (error: unknown) => boolean = () => false,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work(client, attempt);
      await client.query('commit');
      return result;
    } catch (error) {
      broken = await rollBack(client);
      if (attempt === MAX_ATTEMPTS || !(isTransient(error) || isRetryable(error))) {
        throw error;
      }
    } finally {
      client.release(broken);
    }
  }
}

const MAX_ATTEMPTS = 5;

/** `deadlock_detected` and `serialization_failure`: nothing was wrong with the work itself. */
const TRANSIENT = new Set(['40P01', '40001']);

function isTransient(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code !== undefined && TRANSIENT.has(error.code);
}

/** A connection that cannot even roll back is of no more use. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
