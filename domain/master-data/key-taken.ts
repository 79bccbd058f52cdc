import { type AppError, conflict } from '../../base/errors.ts';
import { brokenConstraintOf } from '../../db/timescale/connections/sql-state.ts';

const ERRORS: Readonly<Record<string, (values: { external_key: string }) => AppError>> = {
  assets__org_id_external_key: ({ external_key }) => keyTaken('asset', external_key),
  locations__org_id_external_key: ({ external_key }) => keyTaken('location', external_key),
};

export function keyTaken(resource: 'asset' | 'location', externalKey: string): AppError {
  return conflict(`${resource} with external_key ${externalKey} already exists`);
}

export async function explainViolations<Result>(
  write: Promise<Result>,
  values: { external_key: string },
): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    throw ERRORS[brokenConstraintOf(error) ?? '']?.(values) ?? error;
  }
}
