import { tokenIn } from './token.ts';

/**
 * Takes the token out of the address that a QR code has opened (`#sign-in/th_...`): from then on neither the address bar nor
 * the tab's history has it.
 *
 * @returns null if there is none.
 */
export function takeTokenOfAddress(): string | null {
  if (!location.hash.startsWith('#sign-in/')) {
    return null;
  }
  const token = tokenIn(location.hash);
  history.replaceState(null, '', '#scan');
  return token;
}
