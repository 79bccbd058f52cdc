import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import type { HeardByAll } from '../../../domain/listening/merge-heard.ts';
import { eventText } from '../../../platform/http/event-stream.ts';
import { heardView } from './view.ts';
import { findOwners, type Owner, ownerKey } from './whose-tags.ts';

/** Milliseconds after which it is looked up again whose tags they are: one may have been attached meanwhile. */
const OWNERS_MS = 3_000;

interface Streaming {
  db: OrganizationDatabase;
  signal: AbortSignal;
  /** @throws Problem if the session has ended meanwhile, or the membership. */
  confirm(): Promise<void>;
}

/** What is heard, with whose tags they are; it ends with the session. */
export async function* streamHeard(
  { db, signal, confirm }: Streaming,
  pieces: AsyncIterable<HeardByAll>,
): AsyncGenerator<string, void> {
  let owners: ReadonlyMap<string, Owner> = new Map();
  let asked = new Set<string>();
  let askedAt = Number.NEGATIVE_INFINITY;
  let id = 0;
  try {
    for await (const heard of pieces) {
      const keys = heard.tags.map(ownerKey);
      const now = performance.now();
      if (keys.some((key) => !asked.has(key)) || (keys.length > 0 && now - askedAt > OWNERS_MS)) {
        owners = await findOwners(db, heard.tags, signal);
        asked = new Set(keys);
        askedAt = now;
      }
      await confirm();
      id += 1;
      yield eventText({ id, event: 'heard', data: heardView(heard, owners) });
    }
  } catch {
    // The answer has begun, so all that is left is to end it; coming again, the listener is told why.
  }
}
