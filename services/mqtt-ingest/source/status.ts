import { topicMatches } from '../../../domain/administration/readers/topic.ts';

/** Where an ingest process says, retained, whether it is there. */
export function statusTopicOf(clientId: string): string {
  return `tagtrail/ingest/${clientId}/status`;
}

/** A reader's filter such as `#` takes these in as well, but they are no reader's. */
export function isStatusTopic(topic: string): boolean {
  return topicMatches('tagtrail/ingest/+/status', topic);
}

export function onlineStatus(since: Date): string {
  return JSON.stringify({ status: 'online', since: since.toISOString() });
}

/** Said by this process when it goes, and by the broker when it went without a word. */
export const OFFLINE_STATUS = JSON.stringify({ status: 'offline' });
