import type { RefObject } from 'preact';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import type { Bar, Lane } from './lanes-of.ts';
import { coloursOf } from './lanes-of.ts';
import { type Range, ticksOf } from './ticks.ts';

/** Stays as bars, a lane for each place, above a time axis. The same is said in words elsewhere. */
export function Lanes({
  lanes,
  range,
  now,
  axis,
  places = lanes,
  gaps,
  ticks: most = 8,
  titleOf,
  hrefOf,
}: {
  lanes: readonly Lane[];
  range: Range;
  now: number;
  axis?: RefObject<HTMLDivElement | null>;
  /** The places that get a colour, where several pictures stand side by side. */
  places?: readonly Lane[];
  gaps?: Gaps | undefined;
  /** On the axis, at most. */
  ticks?: number;
  titleOf: (bar: Bar) => string;
  /** The link of a bar; without it, none. */
  hrefOf?: (bar: Bar) => string;
}) {
  const colour = coloursOf(places.flatMap(({ place }) => place?.id ?? []));
  const ticks = ticksOf(range, most);
  const share = (at: number) => `${(100 * (at - range.from)) / (range.to - range.from)}%`;
  return (
    <>
      {lanes.map(({ place, bars }) => (
        <div class="lane" key={place?.id ?? 0}>
          <p class="lane-name">
            {place === null ? (
              texts.value.asset.otherPlaces
            ) : (
              <a href={href('place', place.id)}>{place.name}</a>
            )}
          </p>
          <div class="lane-plot">
            {ticks.map(({ at }) => (
              <span key={at} class="lane-tick" style={{ left: share(at) }} />
            ))}
            {bars.map((bar) => {
              const bare = {
                class: bar.stay.left_at === null ? 'bar bar-open' : 'bar',
                title: titleOf(bar),
                'aria-hidden': true,
                style: {
                  left: `${100 * bar.from}%`,
                  width: `${100 * (bar.to - bar.from)}%`,
                  background: colour(place?.id),
                },
              } as const;
              return hrefOf === undefined ? (
                <span key={bar.stay.arrived_at} {...bare} />
              ) : (
                <a key={bar.stay.arrived_at} {...bare} tabIndex={-1} draggable={false} href={hrefOf(bar)} />
              );
            })}
            {gaps?.get(place?.id ?? 0)?.map((gap) => (
              <span
                key={gap.from}
                class="lane-gap"
                style={{
                  left: share(gap.from),
                  width: `${(100 * (gap.to - gap.from)) / (range.to - range.from)}%`,
                }}
              />
            ))}
            {now > range.from && now < range.to && <span class="lane-now" style={{ left: share(now) }} />}
          </div>
        </div>
      ))}
      <div class="lane lane-axis" aria-hidden="true">
        <p class="lane-name" />
        <div class="lane-plot" {...(axis === undefined ? {} : { ref: axis as RefObject<HTMLDivElement> })}>
          {ticks.map(({ at, text }) => (
            <span key={at} class="tick" style={{ left: share(at) }}>
              {text}
            </span>
          ))}
        </div>
      </div>
    </>
  );
}

/** Times, by place, in which a departure would have gone unnoticed. */
export type Gaps = ReadonlyMap<number, readonly Range[]>;
