import type { AssetPresence } from '../gateway/found-asset.ts';
import { texts } from '../texts/texts.ts';
import { momentOf } from './titles.ts';

/** Whether an asset is still there, and why, in words; null of a state that this app does not know. */
export function presenceWords(presence: AssetPresence): string | null {
  const said = texts.value.asset.presence;
  const since = presence.state_since === null ? '' : said.since(momentOf(presence.state_since));
  switch (presence.state) {
    case 'present':
      return said.present;
    case 'overdue':
      return said.overdue(since);
    case 'missing':
      return presence.is_by_sweep ? said.missedBySweep(since) : said.missing(since);
    case 'unknown':
      return presence.reader_name === null
        ? said.unknown(since)
        : said.notListening(since, presence.reader_name);
    default:
      return null;
  }
}
