import type { Alert } from '../../api/alert.ts';
import { useNames } from '../../api/use-names.ts';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Why it was raised, in words, and how it ended. */
export function AlertBecause({ alert }: { alert: Alert }) {
  const t = texts.value.alerts;
  return (
    <section class="stack" aria-labelledby="alert-because">
      <h3 id="alert-because">{t.because}</h3>
      <p>
        <Reason alert={alert} />
      </p>
      {alert.state === 'closed' && <p class="hint">{t.ended[alert.kind]}</p>}
      {alert.state === 'withdrawn' && <p class="hint">{t.withdrawnHint}</p>}
    </section>
  );
}

function Reason({ alert }: { alert: Alert }) {
  const t = texts.value.alerts;
  const { kind, because, location } = alert;
  const names = useNames('locations', [location?.external_key ?? null]);
  const place = location !== null && (
    <a class="plain" href={href('place', location.id)}>
      {names.get(location.external_key) ?? location.external_key}
    </a>
  );
  const from = because?.from !== undefined && <Instant at={because.from} isLong />;
  switch (kind) {
    case 'overdue':
      return (
        <>
          {because?.last_seen !== undefined && (
            <>
              {t.lastRead} <Instant at={because.last_seen} isLong />
              {place !== false && (
                <>
                  , {t.at} {place}
                </>
              )}
              .{' '}
            </>
          )}
          {because?.sweep_id == null ? (
            t.listened[because?.state === 'missing' ? 'missing' : 'overdue']
          ) : location === null ? (
            t.notFound
          ) : (
            <a class="plain" href={href('place', location.id)}>
              {t.notFound}
            </a>
          )}
        </>
      );
    case 'reader':
      return (
        <>
          {t.unheard[because?.state === 'disconnected' ? 'disconnected' : 'silent']} {from}.
        </>
      );
    default:
      return (
        <>
          {t.itIsAt} {place}, {t.sinceThen} {from}. {t.ruleSays[kind]}
        </>
      );
  }
}
