import { useState } from 'preact/hooks';
import { serverNow } from '../../api/server-clock.ts';
import type { Stay } from '../../api/types.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { saveCsv } from '../../parts/save-file.ts';
import { Act, type Column, PlainTable, savedRows } from '../../parts/table.tsx';
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
  const columns: readonly Column<Stay>[] = [
    {
      title: t.place,
      cell: ({ location: { id, name } }) => (
        <a class="title" href={href('place', id)}>
          {name}
        </a>
      ),
      saved: ({ location }) => ({
        [t.place]: location.name,
        [texts.value.common.keyOf(t.place)]: location.external_key,
      }),
    },
    {
      title: t.arrived,
      cell: ({ arrived_at: at }) => <Instant at={at} />,
      saved: ({ arrived_at: at }) => at,
    },
    {
      title: t.left,
      weight: 2,
      cell: ({ left_at }) =>
        left_at === null ? <span class="none">{t.stillThere}</span> : <Instant at={left_at} />,
      saved: ({ left_at }) => left_at,
    },
    {
      title: t.stayed,
      isNumber: true,
      cell: (stay) => durationText(lengthOf(stay)),
      saved: (stay) => ({ [texts.value.common.seconds(t.stayed)]: Math.round(lengthOf(stay) / 1_000) }),
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
  ];
  return (
    <div class="table-box">
      <PlainTable
        label={t.stays}
        class="stay-table"
        rows={within.toReversed().slice(0, count)}
        rowKey={({ arrived_at }) => arrived_at}
        columns={columns}
      />
      <p class="pager">
        {within.length > count ? (
          <button type="button" class="quiet" onClick={() => setCount(count + 4 * STEP)}>
            {t.moreStays(within.length - count)}
          </button>
        ) : (
          <span />
        )}
        <Act
          label={texts.value.common.saveAll(within.length)}
          icon="download"
          onClick={() => saveCsv(t.stays, savedRows(within.toReversed(), columns))}
        />
      </p>
    </div>
  );
}

/** In milliseconds. */
function lengthOf({ arrived_at, left_at }: Stay): number {
  return (left_at === null ? serverNow() : Date.parse(left_at)) - Date.parse(arrived_at);
}
