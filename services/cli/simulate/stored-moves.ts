import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { readMoves } from '../../../domain/moves/read-moves.ts';
import type { FeedPage } from '../../../simulation/feed-event.ts';

/** What follows a position of the feed; null if that is not kept any more. */
export async function storedMoves(db: OrganizationDatabase, after: number): Promise<FeedPage | null> {
  const { events, head, oldest } = await readMoves(db, { after, limit: PAGE });
  return after < oldest - 1 ? null : { events, head };
}

const PAGE = 1_000;
