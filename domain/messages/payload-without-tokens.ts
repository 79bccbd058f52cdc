import { hasBlanksInToken, hasTokenShape, withoutTokens } from '../../base/tag-secrets.ts';
import type { ReadMessage } from './message.ts';

const NOTHING = Buffer.alloc(0);

/**
 * The stored part of a rejected payload, secrets masked with asterisks. If a read is a secret that the
 * payload has in another form (base64, with blanks), nothing is stored.
 */
export function payloadWithoutTokens({
  mapped,
  payload: { head },
}: Pick<ReadMessage, 'mapped' | 'payload'>): Buffer {
  // Each byte as a character, whatever the encoding: tokens are ASCII.
  const text = head.toString('latin1');
  const isSeen = hasTokenShape(text);
  const isOtherwise =
    mapped.outcome === 'items' &&
    mapped.items.some(
      (item) =>
        item.outcome === 'read' &&
        (isSeen ? hasBlanksInToken(item.read.value) : hasTokenShape(item.read.value)),
    );
  if (isOtherwise) {
    return NOTHING;
  }
  return isSeen ? Buffer.from(withoutTokens(text), 'latin1') : head;
}
