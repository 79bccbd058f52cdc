import { useRef, useState } from 'preact/hooks';
import { serverNow } from '../../api/server-clock.ts';
import type { Stay } from '../../api/types.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant, instantText } from '../../parts/instant.tsx';
import { saveCsv } from '../../parts/save-file.ts';
import { Act, type Column, PlainTable, savedRows } from '../../parts/table.tsx';
import { type Gaps, Lanes } from '../../parts/timeline/lanes.tsx';
import type { Bar, Lane } from '../../parts/timeline/lanes-of.ts';
import type { Range } from '../../parts/timeline/ticks.ts';
import { href, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { shifted, showRange, zoomed } from './range.ts';

/** The asset's stays, a lane for each place. Dragging moves the range; Ctrl and the wheel zoom. */
export function Timeline({
  lanes,
  range,
  now,
  gaps,
}: {
  lanes: readonly Lane[];
  range: Range;
  now: number;
  gaps: Gaps | undefined;
}) {
  const t = texts.value.asset;
  const axis = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; range: Range } | null>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    const act: Record<string, () => Range> = {
      ArrowLeft: () => shifted(range, -0.2),
      ArrowRight: () => shifted(range, 0.2),
      '+': () => zoomed(range, 0.5),
      '-': () => zoomed(range, 2),
    };
    const wanted = act[event.key];
    if (wanted !== undefined && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      showRange(wanted());
    }
  };
  const onWheel = (event: WheelEvent) => {
    const box = axis.current?.getBoundingClientRect();
    if ((event.ctrlKey || event.metaKey) && box !== undefined) {
      event.preventDefault();
      showRange(zoomed(range, event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width));
    }
  };
  return (
    <section
      class="timeline"
      aria-label={t.timelineHint}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom and move it
      tabIndex={0}
      onKeyDown={onKeyDown}
      onWheel={onWheel}
      onPointerDown={(event) => {
        if (event.button === 0 && axis.current !== null) {
          drag.current = { x: event.clientX, range };
        }
      }}
      onPointerMove={(event) => {
        const box = axis.current?.getBoundingClientRect();
        if (drag.current !== null && box !== undefined && Math.abs(event.clientX - drag.current.x) > 3) {
          event.currentTarget.setPointerCapture(event.pointerId);
          showRange(shifted(drag.current.range, (drag.current.x - event.clientX) / box.width));
        }
      }}
      onPointerUp={() => {
        drag.current = null;
      }}
      onPointerCancel={() => {
        drag.current = null;
      }}
    >
      <Lanes
        lanes={lanes}
        range={range}
        now={now}
        axis={axis}
        gaps={gaps}
        titleOf={titleOf}
        hrefOf={({ stay }) => hrefWith({ why: stay.arrived_at })}
      />
    </section>
  );
}

function titleOf({ stay, count }: Bar): string {
  const t = texts.value.asset;
  if (count > 1) {
    return t.severalStays(count);
  }
  const end = stay.left_at === null ? serverNow() : Date.parse(stay.left_at);
  const until = stay.left_at === null ? t.stillThere : instantText(stay.left_at, true);
  return `${stay.location.name}\n${instantText(stay.arrived_at, true)} – ${until}\n${durationText(end - Date.parse(stay.arrived_at))}`;
}

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
