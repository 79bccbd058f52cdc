import { replaceAddress } from '../router/router.ts';

const KEPT = 'tagtrail.wanted';
/** As long as the console waits for the identity provider's answer. */
const LASTS_MS = 600_000;

/** Keeps, before this tab leaves for the identity provider, which address was opened: from there one comes back to none. */
export function keepWantedAddress(): void {
  if (!/^#?\/?$|^#\/sign-in/.test(location.hash)) {
    sessionStorage.setItem(KEPT, JSON.stringify({ hash: location.hash, at: Date.now() }));
  }
}

/** Returns to the address that was asked for before signing in. Somebody who was refused may still try again. */
export function goOnToWantedAddress(): void {
  const kept = sessionStorage.getItem(KEPT);
  if (kept === null || location.hash.startsWith('#/sign-in')) {
    return;
  }
  sessionStorage.removeItem(KEPT);
  const { hash, at } = JSON.parse(kept) as { hash: string; at: number };
  if (/^#?\/?$/.test(location.hash) && Date.now() - at < LASTS_MS) {
    replaceAddress(hash);
  }
}
