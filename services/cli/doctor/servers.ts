import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { type Finding, fault, ok } from '../../../domain/health/finding.ts';

/** Whether the servers of DATABASE_URL are one primary and its standbys; nothing for a single one. */
export async function examineServers(url: string): Promise<Finding[]> {
  const { servers } = connectionConfig(url, 'tagtrail doctor');
  if (servers?.areSeveral !== true) {
    return [];
  }
  const found = await servers.examine();
  return [
    found === null
      ? ok('servers', 'No two of those that answer take changes')
      : fault('servers', capitalized(found.message), found.remedy),
  ];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
