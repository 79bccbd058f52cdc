/**
 * Finds the token in pasted or scanned text: alone, after `Bearer`, or in a line of a terminal.
 *
 * @returns null if there is none.
 */
export function tokenIn(text: string): string | null {
  return /\bth_\d{1,10}_[A-Za-z0-9_-]{20,}/.exec(text)?.[0] ?? null;
}

/** The number of the token's handheld. */
export function handheldOf(token: string): string {
  return token.split('_')[1] ?? '';
}

const UNDER_WAY = 'tagtrail.token';

/** A token whose sign-in is under way outlives a reload of the tab: the address has it no more. Null forgets it. */
export function keepUnderWay(token: string | null): void {
  if (token === null) {
    sessionStorage.removeItem(UNDER_WAY);
  } else {
    sessionStorage.setItem(UNDER_WAY, token);
  }
}

export function underWay(): string | null {
  return sessionStorage.getItem(UNDER_WAY);
}
