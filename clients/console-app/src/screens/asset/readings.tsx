import { useState } from 'preact/hooks';
import type { Asset, Reading } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Instant, instantText } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { readingText } from '../../parts/reading-text.ts';
import { PlainTable } from '../../parts/table.tsx';
import type { Range } from '../../parts/timeline/ticks.ts';
import { texts } from '../../texts/texts.ts';

const HOUR = 3_600_000;

/** Rows of a page are as many as the picture has points. */
const MOST_POINTS = 200;

type Kind = Reading['kind'];

/** What the asset's tags measured in the range: the newest values, a chart, and a table. Nothing if they never did. */
export function Readings({ asset, range }: { asset: Asset; range: Range }) {
  const t = texts.value.readings;
  const newest = newestOf(asset);
  const [chosen, setChosen] = useState<Kind | null>(null);
  const kind = chosen ?? newest[0]?.kind;
  const { answer, problem, reload } = useRead<{ data: readonly Reading[] }>(
    kind === undefined ? null : `/assets/${asset.id}/readings`,
    {
      ...{ kind: kind ?? '', bucket: bucketOf(range), sort: 'observed_at', limit: MOST_POINTS },
      ...{ from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() },
    },
  );
  if (kind === undefined) {
    return null;
  }
  const buckets = answer?.data ?? [];
  return (
    <section class="card stack readings" aria-labelledby="readings">
      <h2 id="readings">{t.title}</h2>
      <ul class="readings-newest">
        {newest.map((each) => (
          <li key={each.kind}>
            <button
              type="button"
              class="quiet"
              aria-pressed={each.kind === kind}
              onClick={() => setChosen(each.kind)}
            >
              {t.kinds[each.kind]}: <strong>{readingText(each.kind, each.value)}</strong>
            </button>{' '}
            <span class="hint">
              <Instant at={each.observed_at} />
            </span>
          </li>
        ))}
      </ul>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {answer !== undefined && buckets.length === 0 && <p class="hint">{t.none}</p>}
      {buckets.length > 0 && (
        <>
          <Picture buckets={buckets} kind={kind} range={range} />
          <ReadingTable buckets={buckets} kind={kind} />
        </>
      )}
    </section>
  );
}

/** By kind, from the tag that measured last. */
function newestOf(asset: Asset): { kind: Kind; value: number; observed_at: string }[] {
  const newest = new Map<Kind, { kind: Kind; value: number; observed_at: string }>();
  for (const { readings = {} } of asset.tags) {
    for (const kind of Object.keys(texts.value.readings.kinds) as Kind[]) {
      const value = readings[kind];
      if (value !== undefined && value.observed_at > (newest.get(kind)?.observed_at ?? '')) {
        newest.set(kind, { kind, ...value });
      }
    }
  }
  return [...newest.values()];
}

/** Long enough that a range has no more buckets than points. */
function bucketOf({ from, to }: Range): string {
  const hours = (to - from) / HOUR;
  return hours <= 3 ? '1m' : hours <= MOST_POINTS - 1 ? '1h' : '1d';
}

const WIDTH = 600;
const HEIGHT = 140;

/** The line of means, on the ground between least and greatest values. */
function Picture({ buckets, kind, range }: { buckets: readonly Reading[]; kind: Kind; range: Range }) {
  const t = texts.value.readings;
  const low = Math.min(...buckets.map(({ min }) => min ?? 0));
  const high = Math.max(...buckets.map(({ max }) => max ?? 0));
  const x = (at: string) => ((Date.parse(at) - range.from) / (range.to - range.from)) * WIDTH;
  const y = (value: number | null) => HEIGHT - (((value ?? 0) - low) / (high - low || 1)) * (HEIGHT - 4) - 2;
  const line = (of: 'min' | 'mean' | 'max') =>
    buckets.map((bucket) => `${x(bucket.observed_at)},${y(bucket[of])}`);
  return (
    <figure class="readings-picture">
      <span class="hint">{readingText(kind, high)}</span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.picture(t.kinds[kind], readingText(kind, low), readingText(kind, high))}
      >
        <polygon points={[...line('max'), ...line('min').toReversed()].join(' ')} />
        <polyline points={line('mean').join(' ')} />
      </svg>
      <figcaption class="hint">
        <span>{readingText(kind, low)}</span>
        <span>
          {instantText(new Date(range.from).toISOString(), true)} –{' '}
          {instantText(new Date(range.to).toISOString(), true)}
        </span>
      </figcaption>
    </figure>
  );
}

function ReadingTable({ buckets, kind }: { buckets: readonly Reading[]; kind: Kind }) {
  const t = texts.value.readings;
  return (
    <details>
      <summary>{t.asTable}</summary>
      <div class="table-box">
        <PlainTable
          label={t.kinds[kind]}
          rows={buckets.toReversed()}
          rowKey={({ observed_at }) => observed_at}
          columns={[
            { title: t.from, cell: ({ observed_at }) => <Instant at={observed_at} isLong /> },
            { title: t.least, isNumber: true, cell: ({ min }) => readingText(kind, min ?? 0) },
            { title: t.mean, isNumber: true, cell: ({ mean }) => readingText(kind, mean ?? 0) },
            { title: t.greatest, isNumber: true, cell: ({ max }) => readingText(kind, max ?? 0) },
            { title: t.count, isNumber: true, cell: ({ count }) => t.value(count ?? 0, '') },
          ]}
        />
      </div>
    </details>
  );
}
