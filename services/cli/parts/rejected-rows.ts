import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import type { KeptMessage } from '../../../domain/administration/rejected/kept-message.ts';
import { wholeNumber } from '../command-line/command-line.ts';

export const rejectedId = wholeNumber(1, 9_999_999_999);

export function rejectedRow(message: KeptMessage) {
  return {
    id: message.id,
    org_id: message.orgId,
    reader_id: message.readerId,
    topic: message.topic,
    reason: message.reason,
    received_at: wireTime(message.receivedAt),
    bytes: message.bytes,
    replayed_at: wireTimeOrNull(message.replayedAt),
  };
}
