import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { Registry } from '../registry/registry.ts';

/** For a password: the reader's certificate names it, and is valid. */
export const CERTIFIED = Symbol('certified');

/** Null for a wrong name or password. `leaving`: its organization moves to another cell, or has moved. */
export type SignIn = (
  username: string | undefined,
  password: Readonly<Buffer> | typeof CERTIFIED | undefined,
) => Promise<RegisteredReader | 'leaving' | null>;

/**
 * Checks credentials against the registry. Nobody is refused by what is not known for certain: then there is another look at
 * the database, at most once a second overall, as strangers can make up names without end.
 */
export function signInAt(
  registry: Pick<Registry, 'byUsername' | 'isLeaving' | 'refresh' | 'isFresh' | 'whenFresh'>,
): SignIn {
  const refresh = spaced(() => registry.refresh());
  // During an outage readers sign in by the last known registry; their messages wait until it is fresh.
  const fresh = () => new Promise<void>((resolve) => registry.whenFresh(resolve, () => resolve()));
  return async (username, password) => {
    if (username === undefined || password === undefined) {
      return null;
    }
    if (!registry.isFresh()) {
      await Promise.race([fresh(), pause(LONGEST_WAIT)]);
    }
    const find = () => {
      const reader = registry.byUsername(username);
      if (reader === undefined) {
        // It may have another password at the other cell since.
        return registry.isLeaving(username) ? 'leaving' : null;
      }
      return isProof(password, reader.passwordSha256) ? reader : null;
    };
    const found = find();
    if (found !== null || (registry.byUsername(username) !== undefined && registry.isFresh())) {
      return found;
    }
    await refresh();
    return find();
  };
}

function isProof(password: Readonly<Buffer> | typeof CERTIFIED, expected: Buffer): boolean {
  return password === CERTIFIED || timingSafeEqual(createHash('sha256').update(password).digest(), expected);
}

/** Rate-limits `run`: it starts after each call, at most once a second. */
function spaced(run: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | null = null;
  let last = Number.NEGATIVE_INFINITY;
  const begin = () => {
    next = null;
    last = performance.now();
    return run();
  };
  return () => {
    next ??= pause(Math.max(0, last + SPACING - performance.now())).then(begin);
    return next;
  };
}

/** Milliseconds that a sign-in waits for a silent database. */
const LONGEST_WAIT = 1_000;

/** Milliseconds. */
const SPACING = 1_000;
