export const MOVES_WRITTEN = 'moves_written';
export const CHANGES_WRITTEN = 'changes_written';

/** The organizations that a notification names; null for any. */
export function organizationsOf(payload: string | undefined): readonly number[] | null {
  return payload === undefined || payload === '' ? null : payload.split(',').map(Number);
}
