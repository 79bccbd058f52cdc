import type { ApiClient } from '../api-client.ts';
import type { AlertAnswer } from './compare-alerts.ts';
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

/** The API's alerts of rules, withdrawn ones too. */
export async function askAlerts(api: ApiClient, rules: readonly string[]): Promise<AlertAnswer[]> {
  return (await api.alerts(rules)).map(({ rule, asset, reader, state, because, ...times }) => ({
    ...{ rule: rule.id, of: asset?.external_key ?? reader?.name ?? '', state },
    openedAt: Date.parse(times.opened_at),
    recordedAt: Date.parse(times.recorded_at),
    closedAt: times.closed_at === null ? null : Date.parse(times.closed_at),
    isMissing: because?.state === 'missing',
  }));
}
