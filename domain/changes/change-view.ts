import { JsonText } from '../../base/json/json-text.ts';
import { wireTime } from '../../base/timestamps.ts';
import type { LoggedChange } from './list-changes.ts';

/** A change as JSON. Stored values keep their digits. */
export function changeView(change: LoggedChange) {
  return {
    id: change.id,
    at: wireTime(change.at),
    actor: { type: change.actor_type, id: change.actor_id },
    action: change.action,
    resource: {
      type: change.resource_type,
      id: NUMBERED.has(change.resource_type) ? Number(change.resource_id) : change.resource_id,
      external_key: change.external_key,
    },
    before: storedJson(change.before),
    after: storedJson(change.after),
    request_id: change.request_id,
  };
}

/** Resources with numeric ids; ids of others are texts, even if they look like numbers. */
const NUMBERED = new Set([
  'asset',
  'location',
  'reader',
  'handheld',
  'mqtt_consumer',
  'organization',
  'plan',
  'rejected_message',
  'webhook',
]);

function storedJson(text: string | null): JsonText | null {
  return text === null ? null : new JsonText(text);
}
