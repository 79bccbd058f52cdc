import type { TrialResult, TriedAsset, TriedStay } from '../../api/smoothing.ts';
import type { Reference, Stay } from '../../api/whereabouts.ts';
import { instantText } from '../../parts/instant.tsx';
import { Lanes } from '../../parts/timeline/lanes.tsx';
import { type Bar, lanesOf } from '../../parts/timeline/lanes-of.ts';
import type { Range } from '../../parts/timeline/range.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Milliseconds. */
const LEAST_MARGIN = 5_000;

/**
 * The assets that would change most, where they were and where they would have been; if none would change, those that move
 * most.
 */
export function WorstAssets({ result }: { result: TrialResult }) {
  const t = texts.value.smoothing;
  const places = new Map(result.locations.map((place) => [place.id, place]));
  const changed = result.assets.filter(({ removed, added }) => removed + added > 0);
  return (
    <section class="stack" aria-labelledby="smoothing-assets">
      <h2 id="smoothing-assets">{changed.length > 0 ? t.worst : t.mostMoving}</h2>
      {(changed.length > 0 ? changed : result.assets).map((tried) => (
        <Tried key={tried.asset.id} tried={tried} places={places} covered={result.covered} />
      ))}
    </section>
  );
}

function Tried({
  tried,
  places,
  covered,
}: {
  tried: TriedAsset;
  places: ReadonlyMap<number, Reference>;
  covered: TrialResult['covered'];
}) {
  const t = texts.value.smoothing;
  const range = rangeOf(tried, covered);
  const now = lanesOf(staysOf(tried.stays, places), range, range.to);
  const then = lanesOf(staysOf(tried.stays_then, places), range, range.to);
  const picture = { range, now: range.to, places: [...now, ...then], ticks: 5, titleOf };
  return (
    <article class="card stack smoothing-asset">
      <h3>
        <a
          href={href('asset', tried.asset.id, {
            from: new Date(range.from).toISOString(),
            to: new Date(range.to).toISOString(),
          })}
        >
          {tried.asset.name}
        </a>
      </h3>
      <p class="hint">
        {t.movesOf(tried.present, tried.proposed)}
        {tried.told_until !== null && ` ${t.toldUntil(instantText(tried.told_until, true))}`}
      </p>
      <div class="smoothing-lanes">
        <h4>{t.now}</h4>
        <div>
          <Lanes lanes={now} {...picture} />
        </div>
        <h4>{t.after}</h4>
        <div>
          <Lanes lanes={then} {...picture} />
        </div>
      </div>
    </article>
  );
}

/** From shortly before its first move to shortly after its last, now or then: the rest of the range shows nothing. */
function rangeOf({ stays, stays_then, told_until }: TriedAsset, { from, to }: TrialResult['covered']): Range {
  const whole = { from: Date.parse(from), to: Date.parse(told_until ?? to) };
  const moves = [...stays.slice(1), ...stays_then.slice(1)].map(([, since]) => since);
  if (moves.length === 0) {
    return whole;
  }
  const [first, last] = [Math.min(...moves), Math.max(...moves)];
  const margin = Math.max(LEAST_MARGIN, (last - first) / 20);
  return { from: Math.max(whole.from, first - margin), to: Math.min(whole.to, last + margin) };
}

function staysOf(stays: readonly TriedStay[], places: ReadonlyMap<number, Reference>): Stay[] {
  return stays.map(([id, since], index) => {
    const next = stays[index + 1];
    return {
      location: places.get(id) ?? { id, external_key: String(id), name: String(id) },
      arrived_at: new Date(since).toISOString(),
      left_at: next === undefined ? null : new Date(next[1]).toISOString(),
    };
  });
}

function titleOf({ stay, count }: Bar): string {
  if (count > 1) {
    return texts.value.asset.severalStays(count);
  }
  const until = stay.left_at === null ? '…' : instantText(stay.left_at, true);
  return `${stay.location.name}\n${instantText(stay.arrived_at, true)} – ${until}`;
}
