import { useState } from 'preact/hooks';
import { serverNow } from '../../api/server-clock.ts';
import type { Stay } from '../../api/types.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
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
      <table class="table stay-table">
        <caption class="unseen">{t.stays}</caption>
        <thead>
          <tr>
            <th scope="col">{t.place}</th>
            <th scope="col">{t.arrived}</th>
            <th scope="col" class="weight-2">
              {t.left}
            </th>
            <th scope="col" class="number">
              {t.stayed}
            </th>
            <th scope="col">
              <span class="unseen">{t.why}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {within
            .toReversed()
            .slice(0, count)
            .map(({ location, arrived_at, left_at }) => (
              <tr key={arrived_at}>
                <td>
                  <a class="title" href={href('place', location.id)}>
                    {location.name}
                  </a>
                </td>
                <td>
                  <Instant at={arrived_at} />
                </td>
                <td class="weight-2">
                  {left_at === null ? <span class="none">{t.stillThere}</span> : <Instant at={left_at} />}
                </td>
                <td class="number">
                  {durationText(
                    (left_at === null ? serverNow() : Date.parse(left_at)) - Date.parse(arrived_at),
                  )}
                </td>
                <td class="stay-why">
                  <a
                    class="plain"
                    href={hrefWith({ why: arrived_at })}
                    aria-label={t.whyLabel(location.name)}
                  >
                    {t.why}
                  </a>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
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
