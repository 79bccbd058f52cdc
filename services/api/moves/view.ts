import { writeJson } from '../../../base/json/json-text.ts';
import type { FeedPage } from '../../../domain/moves/read-moves.ts';
import { JsonBytes } from '../../../platform/http/json-bytes.ts';

/** Contract 4.9. Serialized here, since a thousand waiting requests may share the same bytes. */
export function feedView({ events, head, oldest }: FeedPage, after: number): JsonBytes {
  const next = events.at(-1)?.data.position ?? after;
  return new JsonBytes(Buffer.from(writeJson({ data: { moves: events, next, head, oldest } })));
}
