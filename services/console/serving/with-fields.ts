import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { UserFault } from '../../../domain/administration/users/user-fault.ts';

/** Answers a fault of the input as a fault of its field. */
export async function withFields<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UserFault ? invalid([invalidValue(error.field, error.message)]) : error;
  }
}
