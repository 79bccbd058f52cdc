import { useList } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import type { Passing, Present } from '../../api/whereabouts.ts';
import type { Place } from '../../live/tree-model.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { useTree } from '../../live/use-tree.ts';
import { ChangesOf } from '../../parts/changes/changes-of.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Table } from '../../parts/table.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AntennaList } from './antenna-list.tsx';
import { DwellPicture } from './dwell-picture.tsx';
import { PassingList } from './passing-list.tsx';
import { PlacePath } from './place-path.tsx';
import { presentColumns } from './present-columns.tsx';
import { SweepList } from './sweep-list.tsx';

/** `#/place/4`: what is here, since when, and what came and went. */
export function PlaceScreen({ rest: [id = ''] }: { rest: readonly string[] }) {
  const t = texts.value.place;
  const { model, version, problem, reload } = useTree();
  const place = model?.place(Number(id)) ?? null;
  const present = useList<Present>(`/locations/${id}/present`, { filters: [], sort: '' });
  const passing = useRead<{ data: Passing }>(`/locations/${id}/arrivals`);
  useReloadOnMoves(
    ({ data }) => [data.current.location_id, data.previous_location_id].includes(Number(id)),
    () => {
      present.reload();
      passing.reload();
    },
  );
  if (model === null || place === null) {
    return (
      <div class="page">
        {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
        {problem === null && model === null && <p class="loading">{texts.value.shell.loading}</p>}
        {model !== null && <EmptyState icon="place" title={t.gone} hint={t.goneHint} />}
      </div>
    );
  }
  return (
    <div class="page place">
      <PlacePath place={place} />
      <PageHead title={place.name} sub={<span class="mono">{place.key}</span>}>
        <a class="secondary" href={href('places', { q: place.key })}>
          {may('operator') ? texts.value.asset.edit : texts.value.asset.details}
        </a>
      </PageHead>
      <dl class="figures">
        <Figure word={t.here} count={place.here} />
        {place.children.length > 0 && <Figure word={t.inAll} count={place.total} />}
        {place.children.length > 0 && <Figure word={t.places} count={place.children.length} />}
      </dl>
      {place.children.length > 0 && <Children places={place.children} version={version} />}
      <div class="now-columns">
        <div class="place-side">
          <section aria-label={t.present}>
            <h2>{t.present}</h2>
            <Table
              label={t.present}
              list={present}
              columns={presentColumns()}
              rowKey={({ id: asset }) => asset}
              rowHref={({ id: asset }) => href('asset', asset)}
              empty={
                <EmptyState icon="asset" title={t.none} hint={place.total > 0 ? t.noneHere : t.noneHint} />
              }
            />
          </section>
          <DwellPicture id={place.id} />
          <AntennaList id={place.id} />
          <SweepList id={place.id} />
        </div>
        <PassingList passing={passing.answer?.data} />
      </div>
      <ChangesOf type="location" id={place.id} />
    </div>
  );
}

function Figure({ word, count }: { word: string; count: number }) {
  return (
    <div class="card">
      <dt class="hint">{word}</dt>
      <dd>{texts.value.now.count(count)}</dd>
    </div>
  );
}

function Children({ places }: { places: readonly Place[]; version: number }) {
  return (
    <ul class="children" aria-label={texts.value.place.places}>
      {places.slice(0, 60).map(({ id, name, total }) => (
        <li key={id}>
          <a href={href('place', id)}>
            <span>{name}</span>
            <span class="faint">{texts.value.now.count(total)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
