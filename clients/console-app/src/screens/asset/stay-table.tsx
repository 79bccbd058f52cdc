import { useState } from 'preact/hooks';
import { serverNow } from '../../api/server-clock.ts';
import type { Stay } from '../../api/types.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { PlainTable } from '../../parts/table.tsx';
import type { Range } from '../../parts/timeline/ticks.ts';
import { href, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

const STEP = 25;

/** The same stays as in the picture, the latest first. */
export function StayTable({ stays, range }: { stays: readonly Stay[]; range: Range }) {
  const t = texts.value.asset;
  const [count, setCount] = useState(STEP);
  const within = stays.filter(
    ({ arrived_at, left_at }) =>
      Date.parse(arrived_at) <= range.to && (left_at === null || Date.parse(left_at) >= range.from),
  );
  if (within.length === 0) {
    return <p class="hint">{t.noStays}</p>;
  }
  return (
    <div class="table-box">
      <PlainTable
        label={t.stays}
        class="stay-table"
        rows={within.toReversed().slice(0, count)}
        rowKey={({ arrived_at }) => arrived_at}
        columns={[
          {
            title: t.place,
            cell: ({ location: { id, name } }) => (
              <a class="title" href={href('place', id)}>
                {name}
              </a>
            ),
          },
          { title: t.arrived, cell: ({ arrived_at }) => <Instant at={arrived_at} /> },
          {
            title: t.left,
            weight: 2,
            cell: ({ left_at }) =>
              left_at === null ? <span class="none">{t.stillThere}</span> : <Instant at={left_at} />,
          },
          {
            title: t.stayed,
            isNumber: true,
            cell: ({ arrived_at, left_at }) =>
              durationText((left_at === null ? serverNow() : Date.parse(left_at)) - Date.parse(arrived_at)),
          },
          {
            title: t.why,
            isTitleUnseen: true,
            class: 'stay-why',
            cell: ({ location, arrived_at }) => (
              <a class="plain" href={hrefWith({ why: arrived_at })} aria-label={t.whyLabel(location.name)}>
                {t.why}
              </a>
            ),
          },
        ]}
      />
      {within.length > count && (
        <p class="pager">
          <button type="button" class="quiet" onClick={() => setCount(count + 4 * STEP)}>
            {t.moreStays(within.length - count)}
          </button>
        </p>
      )}
    </div>
  );
}
