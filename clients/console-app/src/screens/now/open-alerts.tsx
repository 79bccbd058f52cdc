import type { Alert } from '../../api/alert.ts';
import { useNames } from '../../api/use-names.ts';
import { useRead } from '../../api/use-read.ts';
import { useReloadOnAlerts } from '../../live/use-reload-on-alerts.ts';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { alertSubject, alertWords } from '../alerts/alert-words.ts';

const MOST = 8;

/** Alerts that nobody has acknowledged yet, the newest first. Nothing where there are none. */
export function OpenAlerts() {
  const t = texts.value.alerts;
  const { answer, reload } = useRead<{ data: readonly Alert[]; total_count: number }>('/alerts', {
    ...{ state: 'open', sort: '-opened_at', limit: MOST },
  });
  useReloadOnAlerts(reload);
  const names = useNames('assets', answer?.data.map(({ asset }) => asset?.external_key ?? null) ?? []);
  if (answer === undefined || answer.data.length === 0) {
    return null;
  }
  return (
    <section class="card now-notice" aria-labelledby="now-alerts">
      <h2 id="now-alerts">{t.openOnes(answer.total_count)}</h2>
      <ul class="facts">
        {answer.data.map((alert) => (
          <li key={alert.id}>
            <a class="title" href={href('alerts', { open: alert.id })}>
              {alertSubject(alert, names)}
            </a>
            <span class="hint">
              {alertWords(alert)} <Instant at={alert.opened_at} />
            </span>
          </li>
        ))}
      </ul>
      {answer.total_count > answer.data.length && (
        <a class="plain" href={href('alerts')}>
          {texts.value.common.showAll}
        </a>
      )}
    </section>
  );
}
