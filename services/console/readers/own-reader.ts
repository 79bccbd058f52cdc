import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { awaitSubscribed } from '../../../domain/administration/readers/await-subscribed.ts';
import { TopicTaken } from '../../../domain/administration/readers/registration.ts';
import type { ConsoleContext } from '../serving/context.ts';

export function administered<Result>(
  { db: { orgId }, parts }: ConsoleContext,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  return parts.insight.run(orgId, (installation) => namesNoOther(work(databaseOn(installation)), orgId));
}

/** A change of readers, antennas or formats: once it is answered, every process of ingestion acts on it. */
export async function changingReaders<Result>(
  context: ConsoleContext,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const result = await administered(context, work);
  await heardEverywhere();
  return result;
}

/**
 * Whether messages to the topic are safe from now on.
 *
 * @param isNew waits for the subscription; nobody subscribes again to a reader's earlier topic.
 */
export function subscribedTo(
  context: ConsoleContext,
  topic: string,
  { isNew }: { isNew: boolean },
): Promise<boolean> {
  return awaitSubscribed((look) => administered(context, look), topic, isNew ? undefined : 0);
}

/** Ids are the installation's: a reader of another organization is as good as none. */
export const OWN_READER = {
  missing: 'Reader not found',
  row: async ({ context, params }: { context: ConsoleContext; params: { reader_id: number } }) => {
    const { orgId } = context.db;
    const row = await administered(context, (db) =>
      db.maybeOne(sql.type(rowsOf<{ id: number }>())`
        select id from readers where org_id = ${orgId} and id = ${params.reader_id} and deleted_at is null`),
    );
    return row?.id ?? null;
  },
};

/** The command line says whose topic it is; who administers one organization is not to know the others. */
async function namesNoOther<Result>(work: Promise<Result>, orgId: number): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TopicTaken && error.orgId !== orgId) {
      throw new AppError('conflict', `Topic ${error.topic} overlaps with one that is taken; choose another`);
    }
    throw error;
  }
}
