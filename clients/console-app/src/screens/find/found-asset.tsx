import { Icon } from '../../../../ui/parts/icon.tsx';
import type { FoundAsset } from '../../api/whereabouts.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Where it is, since when, how lately it was seen, and where it was before. */
export function FoundAssetCard({ asset }: { asset: FoundAsset }) {
  const t = texts.value.find;
  const { location, since, last_seen: lastSeen } = asset;
  return (
    <li class="card found">
      <div class="found-head">
        <p>
          <a class="title" href={href('asset', asset.id)}>
            {asset.name}
          </a>{' '}
          <span class="mono faint">{asset.external_key}</span>
        </p>
        {asset.tags[0] !== undefined && <span class="mono faint found-tag">{asset.tags[0].value}</span>}
      </div>
      {location === null ? (
        <p class="none">{texts.value.assets.nowhere}</p>
      ) : (
        <p class="found-where">
          <Icon name="place" />
          <a class="title" href={href('place', location.id)}>
            {location.name}
          </a>
          {since !== null && (
            <span class="hint">
              {t.since} <Instant at={since} />
            </span>
          )}
          {lastSeen !== null && (
            <span class="hint">{t.seenAgo(durationText(Date.now() - Date.parse(lastSeen)))}</span>
          )}
          <a class="plain" href={href('asset', asset.id, { why: 'now' })}>
            {texts.value.asset.why}
          </a>
        </p>
      )}
      {asset.stays.length > 1 && (
        <p class="hint found-before">
          {t.before}{' '}
          {asset.stays.slice(1).map(({ location: place, arrived_at }, index) => (
            <span key={arrived_at}>
              {index > 0 && ' · '}
              <a href={href('place', place.id)}>{place.name}</a>
            </span>
          ))}
        </p>
      )}
    </li>
  );
}
