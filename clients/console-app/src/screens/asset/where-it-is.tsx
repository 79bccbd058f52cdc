import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Asset } from '../../api/asset.ts';
import type { Presence } from '../../api/report.ts';
import type { Stay } from '../../api/whereabouts.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { BecauseOf } from '../../parts/presence/because-of.tsx';
import { StateBadge } from '../../parts/presence/state-badge.tsx';
import { href, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

export function WhereItIs({
  asset,
  stay,
  lastSeen,
  presence,
}: {
  asset: Asset;
  stay: Stay;
  lastSeen: string | null;
  /** Undefined until it is known. */
  presence: Presence | undefined;
}) {
  const t = texts.value.asset;
  return (
    <section class="card where" aria-label={t.whereItIs}>
      <span class="dot dot-place">
        <Icon name="place" />
      </span>
      <div class="where-place">
        <p class="hint">{t.isAt}</p>
        <p class="where-name">
          <a href={href('place', stay.location.id)}>{stay.location.name}</a>{' '}
          {presence !== undefined && <StateBadge state={presence.state} />}
        </p>
        <p class="hint">
          {t.since} <Instant at={stay.arrived_at} /> ·{' '}
          {durationText(Date.now() - Date.parse(stay.arrived_at))}
          {lastSeen !== null && (
            <>
              {' · '}
              {t.lastSeen} <Instant at={lastSeen} />
            </>
          )}
        </p>
        {presence !== undefined && <StateReason presence={presence} />}
      </div>
      <ul class="where-tags" aria-label={texts.value.tags.title}>
        {asset.tags.slice(0, 4).map(({ id, tag_type, value }) => (
          <li key={id}>
            <span class="tag-type">{texts.value.tags.types[tag_type]}</span>
            <span class="mono">{value}</span>
          </li>
        ))}
        {asset.tags.length > 4 && <li class="hint">{t.moreTags(asset.tags.length - 4)}</li>}
      </ul>
      <a class="primary" href={hrefWith({ why: 'now' })}>
        {t.whyThere}
      </a>
    </section>
  );
}

/** Since when it is overdue, missing or unknown, and why. */
function StateReason({ presence: { state, state_since: since, because } }: { presence: Presence }) {
  const t = texts.value.presence;
  if (state === 'present' || state === 'never_seen') {
    return null;
  }
  return (
    <p class="hint">
      {t.means[state]}
      {since !== null && (
        <>
          {' '}
          ({texts.value.asset.since} <Instant at={since} />)
        </>
      )}
      {because !== null && (
        <>
          {' · '}
          <BecauseOf because={because} />
        </>
      )}
    </p>
  );
}
