import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';
import type { KnownGaps } from './use-gaps.ts';

/** What is hatched, in words; nothing where nothing is. */
export function GapHint({ gaps }: { gaps: KnownGaps | 'unknown' | null }) {
  const t = texts.value.asset;
  if (gaps === 'unknown') {
    return <p class="hint">{t.gapsUnknown}</p>;
  }
  if (gaps === null || (gaps.milliseconds === 0 && !gaps.isCut)) {
    return null;
  }
  return (
    <p class="hint">
      {gaps.milliseconds > 0 && t.gapsAre(durationText(gaps.milliseconds))}
      {gaps.isCut && ` ${t.gapsCut}`}
      {gaps.since !== null && (
        <>
          {' '}
          {t.gapsSince} <Instant at={gaps.since} />
        </>
      )}
    </p>
  );
}
