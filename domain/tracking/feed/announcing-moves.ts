interface Unsealed {
  /** Changes of histories that wait to be sealed. */
  unsealed: number;
}

/**
 * Calls `onMoves` after a transaction in which changes of histories were recorded, also if its commit was not answered:
 * it may have gone through, and being called for nothing does no harm.
 *
 * @param transact passes what recording made through `note`.
 */
export async function announcingMoves<Result>(
  onMoves: (() => void) | undefined,
  transact: (note: <Made extends Unsealed>(made: Made) => Made) => Promise<Result>,
): Promise<Result> {
  let isAny = false;
  try {
    return await transact((made) => {
      isAny ||= made.unsealed > 0;
      return made;
    });
  } finally {
    if (isAny) {
      onMoves?.();
    }
  }
}
