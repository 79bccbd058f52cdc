import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Passing } from '../../api/whereabouts.ts';
import { Instant } from '../../parts/instant.tsx';
import { LineOfAsset, PlaceLink } from '../../parts/move-line.tsx';
import { texts } from '../../texts/texts.ts';

/** Arrivals and departures, the latest first. */
export function PassingList({ passing }: { passing: Passing | undefined }) {
  const t = texts.value.place;
  return (
    <section class="card now-moves" aria-labelledby="passing">
      <h2 id="passing">{t.passing}</h2>
      {passing !== undefined && passing.moves.length === 0 && <p class="hint">{t.noPassing}</p>}
      <ul class="move-list">
        {passing?.moves.map(({ position, at, asset, is_arrival, other }) => (
          <LineOfAsset key={position} at={at} asset={asset}>
            <p class={is_arrival ? 'move-way is-arrival' : 'move-way'}>
              <Icon name={is_arrival ? 'down' : 'up'} />
              <span>{is_arrival ? t.cameFrom : t.wentTo}</span>
              <PlaceLink place={other} />
            </p>
          </LineOfAsset>
        ))}
      </ul>
      {passing !== undefined && passing.since !== null && passing.moves.length > 0 && (
        <p class="hint passing-since">
          {t.lookedBackTo} <Instant at={passing.since} />
        </p>
      )}
    </section>
  );
}
