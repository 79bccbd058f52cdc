import { topicMatches } from '../../../domain/administration/readers/topic.ts';

export function statusTopicOf(clientId: string): string {
  return `tagtrail/ingest/${clientId}/status`;
}

/** A reader's filter such as `#` matches these, too, but they belong to no reader. */
export function isStatusTopic(topic: string): boolean {
  return topicMatches('tagtrail/ingest/+/status', topic);
}

export function onlineStatus(since: Date): string {
  return JSON.stringify({ status: 'online', since: since.toISOString() });
}

/** Published by this process when it stops, and by the broker as last will. */
export const OFFLINE_STATUS = JSON.stringify({ status: 'offline' });
