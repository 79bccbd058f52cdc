import type { ApiClient } from '../api-client.ts';
import type { AlertAnswer } from './compare-alerts.ts';

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
