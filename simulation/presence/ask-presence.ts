import type { ApiClient } from '../api-client.ts';
import type { PresenceAnswer } from './compare-presence.ts';

/** The API's report on assets at an instant. @param at milliseconds since 1970. */
export async function askPresence(api: ApiClient, at: number): Promise<PresenceAnswer[]> {
  return (await api.presence(at)).map((row) => ({
    asset: row.asset_external_key,
    state: row.state,
    since: row.state_since === null ? null : Date.parse(row.state_since),
    reader: row.because?.reader_name ?? null,
  }));
}
