import { createHash } from 'node:crypto';
import { messageOf } from '../../../base/errors.ts';
import { greatestOf } from '../../../base/extremes.ts';
import type { Placement } from '../../../domain/moves/published/placement.ts';
import { CLEARED, type PublishedTopic } from '../../../domain/moves/published/topics.ts';
import { discoveryOf } from './home-assistant.ts';

export interface Message {
  topic: string;
  /** Empty: the broker forgets the retained message. */
  payload: string;
}

export interface Destination {
  prefix: string;
  homeAssistant: string | null;
}

/** External keys are letters, digits and hyphens (contract 2.2), so topics contain them unescaped. */
function locationTopic({ prefix }: Destination, orgId: number, externalKey: string): string {
  return `${prefix}/${orgId}/assets/${externalKey}/location`;
}

/**
 * The topic of a retained message that shows whether the broker has lost its memory; no organization has this number.
 */
export function markTopic({ prefix }: Destination): string {
  return `${prefix}/0/assets/published`;
}

/** The retained message about an asset; none if it is deleted or nowhere. */
export function messagesOf(to: Destination, orgId: number, placement: Placement): Message[] {
  const { assetId, externalKey, name, stay, isDeleted } = placement;
  if (stay === null || isDeleted) {
    return [];
  }
  const { location, since } = stay;
  const topic = locationTopic(to, orgId, externalKey);
  const payload = JSON.stringify({
    asset: { id: assetId, external_key: externalKey, name },
    location,
    since,
  });
  return [
    ...(to.homeAssistant === null ? [] : [discoveryOf(to.homeAssistant, orgId, placement, topic)]),
    { topic, payload },
  ];
}

/**
 * Turns placements, in order, into messages. `topics` says what the broker has, and is updated.
 *
 * @param isRepeated also sends what the broker has.
 * @param isSettled also records the position of unsent placements, because later events of the asset may be unsent,
 * too.
 */
export function messagesToSend(
  placements: readonly { assetId: number; toldAt: number | null; messages: readonly Message[] }[],
  topics: PublishedTopic[],
  { isRepeated, isSettled = false }: { isRepeated: boolean; isSettled?: boolean },
): { messages: Message[]; changed: PublishedTopic[] } {
  const sent: Message[] = [];
  const changed = new Set<PublishedTopic>();
  const toClear = new Set<string>();
  for (const { assetId, toldAt, messages } of placements) {
    const own = topics.filter((each) => each.assetId === assetId);
    const known = greatestOf(own.map((each) => each.toldAt ?? Number.NEGATIVE_INFINITY));
    if (toldAt !== null && toldAt < known) {
      continue;
    }
    for (const each of own) {
      const message = messages.find(({ topic }) => topic === each.topic);
      const digest = message === undefined ? CLEARED : digestOfPayload(message.payload);
      if (isRepeated || digest !== each.digest) {
        message === undefined ? toClear.add(each.topic) : sent.push(message);
        Object.assign(each, { digest, toldAt: toldAt ?? each.toldAt });
        changed.add(each);
      } else if (isSettled && toldAt !== null && toldAt > (each.toldAt ?? Number.NEGATIVE_INFINITY)) {
        each.toldAt = toldAt;
        changed.add(each);
      }
    }
  }
  // If two assets had one key in turn, the topic belongs to the one that has it now.
  const isTaken = (topic: string) => topics.some((each) => each.topic === topic && each.digest !== CLEARED);
  const cleared = [...toClear].filter((topic) => !isTaken(topic));
  return {
    messages: [...sent, ...cleared.map((topic) => ({ topic, payload: '' }))],
    changed: [...changed],
  };
}

/** Enough to tell a payload from the one before. */
function digestOfPayload(payload: string): string {
  return createHash('sha256').update(payload).digest('hex').slice(0, 32);
}

/** A message that the broker did not take. */
export class Unpublished extends Error {
  /** The first that was not acknowledged. */
  readonly refused: Message;
  /** The connection ended on it, or nothing was acknowledged any more; otherwise the broker said no. */
  readonly isLost: boolean;

  constructor(refused: Message, { cause, isLost }: { cause: unknown; isLost: boolean }) {
    super(`${messageOf(cause)} (${refused.topic})`, { cause });
    this.refused = refused;
    this.isLost = isLost;
  }
}
