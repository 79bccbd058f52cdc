import { signal } from '@preact/signals';
import {
  type Address,
  parseAddress,
  type QueryValues,
  queryText,
  href as textOf,
  withOrganization,
  withValues,
} from './address.ts';

/**
 * The user's address. Every state of a screen that deserves a link is in it. Compared with wouter-preact, which
 * requires Preact 10, and preact-iso, which does not bundle alone.
 */
export const address = signal<Address>(parseAddress(location.hash));

/** Stands in every address from now on, so that it leads others to the same; null if it goes without saying. */
export const organizationInLinks = signal<number | null>(null);

/**
 * `href('assets', 17)`, or with a query last: `href('assets', { q: 'pallet' })`. Null and empty values are left out.
 */
export function href(...parts: Parameters<typeof textOf>): string {
  return inOrganization(textOf(...parts));
}

function inOrganization(hash: string): string {
  const organization = organizationInLinks.value;
  return organization === null ? hash : withOrganization(hash, organization);
}

export function startRouter(): void {
  window.addEventListener('hashchange', () => {
    const to = location.hash;
    const next = parseAddress(to);
    if (guard === null || guard.isInside(next)) {
      show(to, next);
      return;
    }
    // A link or the back button: the step is taken back until the user has said so.
    history.pushState(null, '', shown);
    void guard.ask().then((isSure) => isSure && replaceAddress(to));
  });
}

/** The address that is on the screen. */
let shown = location.hash;

function show(hash: string, parsed: Address): void {
  shown = hash;
  address.value = parsed;
}

export interface Guard {
  /** Whether the present screen shows this address too, so that nothing is lost. */
  isInside: (to: Address) => boolean;
  /** Whether the user means to leave. */
  ask: () => Promise<boolean>;
}

let guard: Guard | null = null;

/**
 * Asks the user before steps away from the screen.
 *
 * @returns a function that ends that.
 */
export function guardLeaving(by: Guard): () => void {
  guard = by;
  return () => {
    guard = guard === by ? null : guard;
  };
}

/** A step that the browser's back button undoes. */
export function go(to: string): void {
  location.hash = to;
}

/** Leaves without asking, because the text is saved or not wanted. */
export function leaveFor(to: string): void {
  guard = null;
  go(to);
}

/** Replaces the present address, so that the back button skips it: for typing and dragging. */
export function replaceAddress(to: string): void {
  // The browser tells of a step some time after it: what the screen before it still has to say must not undo it.
  if (location.hash === shown) {
    history.replaceState(null, '', to);
    show(location.hash, parseAddress(to));
  }
}

/** The address of the present screen with some of its query changed; null removes. */
export function hrefWith(changes: QueryValues): string {
  const { path, query } = address.value;
  return inOrganization(`${textOf(...path)}${queryText(withValues(query, changes))}`);
}
