import { post } from '../../api/send.ts';
import type { Alert } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useNames } from '../../api/use-names.ts';
import { useRead } from '../../api/use-read.ts';
import { useReloadOnAlerts } from '../../live/use-reload-on-alerts.ts';
import { AlertBadge, alertSubject, alertWords } from '../../parts/alert-words.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { readingText } from '../../parts/reading-text.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

export function AlertSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const t = texts.value.alerts;
  const { answer, problem, reload } = useRead<{ data: Alert }>(`/alerts/${id}`);
  useReloadOnAlerts(reload);
  const { run, isBusy, problem: refused } = useAction();
  const alert = answer?.data;
  const names = useNames('assets', [alert?.asset?.external_key ?? null]);
  const mayAcknowledge = alert?.state === 'open' && may('operator');
  const acknowledge = async () => {
    await post(`/alerts/${id}/acknowledge`);
    toast(t.acknowledged);
  };
  return (
    <SideSheet
      title={alert === undefined ? t.one : alertSubject(alert, names)}
      {...(alert === undefined ? {} : { sub: alertWords(alert) })}
      onClose={onClose}
      {...(mayAcknowledge
        ? {
            foot: (
              <button type="button" class="primary" disabled={isBusy} onClick={() => void run(acknowledge)}>
                {t.acknowledge}
              </button>
            ),
          }
        : {})}
    >
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {refused !== null && <ProblemNote problem={refused} />}
      {alert !== undefined && (
        <div class="stack sheet-parts">
          <Facts alert={alert} />
          <AlertBecause alert={alert} />
          <Links alert={alert} />
        </div>
      )}
    </SideSheet>
  );
}

function Facts({ alert }: { alert: Alert }) {
  const t = texts.value.alerts;
  return (
    <dl class="facts">
      <dt>{t.state}</dt>
      <dd>
        <AlertBadge alert={alert} />
      </dd>
      <dt>{t.since}</dt>
      <dd>
        <Instant at={alert.opened_at} isLong />
      </dd>
      {alert.closed_at !== null && (
        <>
          <dt>{t.until}</dt>
          <dd>
            <Instant at={alert.closed_at} isLong />
          </dd>
        </>
      )}
      <dt>{t.noticed}</dt>
      <dd>
        <Instant at={alert.recorded_at} isLong />
      </dd>
      {alert.acknowledged_at !== null && (
        <>
          <dt>{t.states.acknowledged}</dt>
          <dd>
            {alert.acknowledged_by} <Instant at={alert.acknowledged_at} isLong />
          </dd>
        </>
      )}
      <dt>{t.rule}</dt>
      <dd>
        <a class="plain" href={href('rules', alert.rule.id)}>
          {alert.rule.name}
        </a>
      </dd>
    </dl>
  );
}

/** Links to the alert's asset or reader, and to all alerts about it. */
function Links({ alert: { asset, reader } }: { alert: Alert }) {
  const t = texts.value.alerts;
  return (
    <div class="buttons">
      {asset !== null && (
        <>
          <a class="secondary" href={href('asset', asset.id)}>
            {t.toAsset}
          </a>
          <a class="secondary" href={href('alerts', { asset_id: asset.id, state: 'all' })}>
            {t.ofAsset}
          </a>
        </>
      )}
      {reader !== null && (
        <a class="secondary" href={href('readers', reader.id)}>
          {t.toReader}
        </a>
      )}
    </div>
  );
}

/** Why it was raised, in words, and how it ended. */
function AlertBecause({ alert }: { alert: Alert }) {
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
    case 'reading':
    case 'battery_low':
      return (
        <>
          {t.firstMeasured}{' '}
          {because?.reading !== undefined &&
            because.value !== undefined &&
            readingText(because.reading, because.value)}
          {place !== false && (
            <>
              , {t.at} {place}
            </>
          )}
          , {from}.
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
