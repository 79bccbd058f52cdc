import { NO_ROWS, sql } from './sql.ts';
import type { Connection } from './verbs.ts';

/**
 * Does part of a transaction's work; if that throws, its writes are undone and the transaction goes on.
 *
 * @param transaction one, not a pool.
 * @param onUndone gets the error.
 * @throws the connection's error if it is lost.
 */
export async function inSavepoint<Result>(
  transaction: Connection,
  work: () => Promise<Result>,
  onUndone: (error: unknown) => Promise<Result>,
): Promise<Result> {
  await transaction.exec(sql.type(NO_ROWS)`savepoint part`);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await transaction.exec(sql.type(NO_ROWS)`rollback to savepoint part`);
    await transaction.exec(sql.type(NO_ROWS)`release savepoint part`);
    return onUndone(error);
  }
  await transaction.exec(sql.type(NO_ROWS)`release savepoint part`);
  return result;
}
