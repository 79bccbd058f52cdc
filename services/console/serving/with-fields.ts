import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { UserFault } from '../../../domain/administration/users/user-fault.ts';

/** Has a fault of what was given answered as one of its field. */
export async function withFields<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UserFault ? invalid([invalidValue(error.field, error.message)]) : error;
  }
}
