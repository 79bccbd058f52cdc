/** The channels on which the sealer announces what it sealed, in the transaction that seals it. */
export const MOVES_SEALED = 'moves_sealed';

export const CHANGES_SEALED = 'changes_sealed';

export const MOVES_WRITTEN = 'moves_written';

export const CHANGES_WRITTEN = 'changes_written';

/** The organizations that a notification names; null for any. */
export function organizationsOf(payload: string | undefined): readonly number[] | null {
  return payload === undefined || payload === '' ? null : payload.split(',').map(Number);
}

/**
 * The heads of feeds by organization, from a payload such as `1:48123,7:12`. Null if it names none: any feed may have
 * advanced.
 */
export function headsOf(payload: string): ReadonlyMap<number, number> | null {
  return /^\d+:\d+(,\d+:\d+)*$/.test(payload)
    ? new Map(payload.split(',').map((pair) => pair.split(':').map(Number) as [number, number]))
    : null;
}
