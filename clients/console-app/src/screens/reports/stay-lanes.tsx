import type { ReportedStay } from '../../api/report.ts';
import { instantText } from '../../parts/instant.tsx';
import { Lanes } from '../../parts/timeline/lanes.tsx';
import { type Bar, lanesOf } from '../../parts/timeline/lanes-of.ts';
import { texts } from '../../texts/texts.ts';
import type { ReportWindow } from './use-report-window.ts';

/** The stays of the page, all of one asset, a lane for each place. */
export function StayLanes({
  stays,
  window,
  nameOf,
}: {
  stays: readonly ReportedStay[];
  window: ReportWindow;
  nameOf: (key: string) => string;
}) {
  const range = { from: Date.parse(window.from), to: Date.parse(window.to) };
  const lanes = lanesOf(
    stays
      .map((stay) => ({
        location: {
          id: stay.location_id,
          external_key: stay.location_external_key,
          name: nameOf(stay.location_external_key),
        },
        arrived_at: stay.entered_at,
        left_at: stay.left_at,
      }))
      .toSorted((a, b) => Date.parse(a.arrived_at) - Date.parse(b.arrived_at)),
    range,
    range.to,
  );
  return (
    <section class="card" aria-label={texts.value.asset.timeline}>
      <Lanes lanes={lanes} range={range} now={range.to} titleOf={titleOf} />
    </section>
  );
}

function titleOf({ stay, count }: Bar): string {
  if (count > 1) {
    return texts.value.asset.severalStays(count);
  }
  const until = stay.left_at === null ? '…' : instantText(stay.left_at, true);
  return `${stay.location.name}\n${instantText(stay.arrived_at, true)} – ${until}`;
}
