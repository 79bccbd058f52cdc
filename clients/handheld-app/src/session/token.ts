/**
 * The token in what was pasted or scanned: alone, or with `Bearer` or a line of a terminal around it.
 *
 * @returns null if there is none.
 */
export function tokenIn(text: string): string | null {
  return /\bth_\d{1,10}_[A-Za-z0-9_-]{20,}/.exec(text)?.[0] ?? null;
}

/** The number of the handheld that a token belongs to. */
export function handheldOf(token: string): string {
  return token.split('_')[1] ?? '';
}
