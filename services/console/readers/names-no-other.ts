import { AppError } from '../../../base/errors.ts';
import { TopicTaken } from '../../../domain/administration/readers/registration.ts';

/** The command line says whose topic it is; who administers one organization is not to know the others. */
export async function namesNoOther<Result>(work: Promise<Result>, orgId: number): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TopicTaken && error.orgId !== orgId) {
      throw new AppError('conflict', `Topic ${error.topic} overlaps with one that is taken; choose another`);
    }
    throw error;
  }
}
