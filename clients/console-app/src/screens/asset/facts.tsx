import type { Alert, Asset } from '../../api/types.ts';
import { FIELD } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { useReloadOnAlerts } from '../../live/use-reload-on-alerts.ts';
import { AlertBadge, alertWords } from '../../parts/alert-words.tsx';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { MOST_LETTERS, metadataText } from '../assets/asset-kind.tsx';

/** Fields of metadata that are shown; programs may keep thousands. */
const MOST_SHOWN = 100;

/** What is said of an asset: description, validity, metadata and tags. */
export function Facts({ asset }: { asset: Asset }) {
  const t = texts.value.asset;
  const { items, tags } = texts.value;
  const metadata = Object.entries(asset.metadata);
  return (
    <section class="card stack" aria-labelledby="facts">
      <h2 id="facts">{t.details}</h2>
      <dl class="facts">
        <dt>{items.description}</dt>
        <dd>{asset.description ?? <span class="none">–</span>}</dd>
        <dt>{t.validity}</dt>
        <dd>
          {t.since} <Instant at={asset.valid_from} />
          {asset.valid_to !== null && (
            <>
              {` ${t.until} `}
              <Instant at={asset.valid_to} />
            </>
          )}
        </dd>
        <dt>{items.tags}</dt>
        <dd>
          <ul class="asset-tags">
            {asset.tags.map(({ id, tag_type, value }) => (
              <li key={id}>
                <span class="tag-type">{tags.types[tag_type]}</span>
                <span class="mono">{value}</span>
              </li>
            ))}
          </ul>
          {asset.tags.length === 0 && <span class="none">–</span>}
        </dd>
        {metadata.slice(0, MOST_SHOWN).map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>
              {typeof value === 'string' && isFilter(name, value) ? (
                <a href={href('assets', { [FIELD + name]: value })} title={t.allWithThis}>
                  {value}
                </a>
              ) : (
                metadataText(value)
              )}
            </dd>
          </>
        ))}
      </dl>
      {metadata.length > MOST_SHOWN && <p class="hint">{t.moreFields(metadata.length - MOST_SHOWN)}</p>}
    </section>
  );
}

/** Programs may store what no address has room for. */
function isFilter(name: string, value: string): boolean {
  return name !== '' && value !== '' && name.length + value.length <= MOST_LETTERS.text;
}

/** What rules say of it at this moment; nothing where they say nothing. */
export function AlertsOf({ asset: { id } }: { asset: Asset }) {
  const { answer, reload } = useRead<{ data: readonly Alert[] }>('/alerts', {
    ...{ asset_id: id, state: ['open', 'acknowledged'], sort: '-opened_at' },
  });
  useReloadOnAlerts(reload);
  const alerts = answer?.data ?? [];
  return alerts.length === 0 ? null : (
    <section class="card stack" aria-labelledby="alerts-of">
      <h2 id="alerts-of">{texts.value.screens.alerts}</h2>
      <ul class="lines">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <div>
              <a class="title" href={href('alerts', { open: alert.id, asset_id: id })}>
                {alertWords(alert)}
              </a>{' '}
              <span class="hint">
                {alert.rule.name} · <Instant at={alert.opened_at} />
              </span>
            </div>
            <AlertBadge alert={alert} />
          </li>
        ))}
      </ul>
    </section>
  );
}
