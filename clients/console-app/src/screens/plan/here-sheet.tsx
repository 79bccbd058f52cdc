import { useRead } from '../../api/use-read.ts';
import type { Present } from '../../api/whereabouts.ts';
import type { Place } from '../../live/tree-model.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

const MOST = 20;

/** What is at a place of the plan, and the way to all about it. */
export function HereSheet({ place, onClose }: { place: Place; total: number; onClose: () => void }) {
  const t = texts.value.plan;
  const { answer, problem, reload } = useRead<{ data: readonly Present[]; total_count: number }>(
    `/locations/${place.id}/present`,
    { limit: MOST },
  );
  useReloadOnMoves(
    ({ data }) => [data.current.location_id, data.previous_location_id].includes(place.id),
    reload,
  );
  const more = (answer?.total_count ?? 0) - (answer?.data.length ?? 0);
  return (
    <SideSheet
      title={place.name}
      sub={<span class="mono">{place.key}</span>}
      onClose={onClose}
      foot={
        <a class="primary" href={href('place', place.id)}>
          {t.toPlace}
        </a>
      }
    >
      <div class="stack">
        <p>{texts.value.shell.assetsHere(place.total)}</p>
        {place.children.length > 0 && (
          <ul class="children" aria-label={texts.value.place.places}>
            {place.children.slice(0, 60).map(({ id, name, total }) => (
              <li key={id}>
                <a href={href('place', id)}>
                  <span>{name}</span>
                  <span class="faint">{texts.value.now.count(total)}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
        {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
        <ul class="here-list">
          {answer?.data.map((asset) => (
            <li key={asset.id}>
              <a href={href('asset', asset.id)}>
                <span class="title">{asset.name}</span> <span class="mono faint">{asset.external_key}</span>
              </a>
              <span class="hint">
                <Instant at={asset.since} />
              </span>
            </li>
          ))}
        </ul>
        {more > 0 && <p class="hint">{t.andMore(more)}</p>}
      </div>
    </SideSheet>
  );
}
