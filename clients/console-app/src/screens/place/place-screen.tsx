import { Icon } from '../../../../ui/parts/icon.tsx';
import { serverNow } from '../../api/server-clock.ts';
import type {
  Data,
  Place as Location,
  Passing,
  Presence,
  Present,
  ReportedStay,
  Row,
} from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import type { Place } from '../../live/tree-model.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { useTree } from '../../live/use-tree.ts';
import { Badge } from '../../parts/badge.tsx';
import { ChangesOf } from '../../parts/changes.tsx';
import { durationText } from '../../parts/duration.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LineOfAsset, PlaceLink } from '../../parts/move-line.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StateBadge, stateWord, usePresence } from '../../parts/presence.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Retired } from '../../parts/retired.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { OpenItem } from '../items/open-item.tsx';
import { AddWithin, PLACE_KIND } from '../places/place-kind.tsx';
import { WatchLine } from '../places/watch.tsx';

/** `#/place/4?open=4`: its assets, since when, and recent arrivals and departures. */
export function PlaceScreen({ rest: [id = ''] }: { rest: readonly string[] }) {
  const t = texts.value.place;
  const { model, version, problem, reload } = useTree();
  const place = model?.place(Number(id)) ?? null;
  const present = useList<Present>(`/locations/${id}/present`, { filters: [], sort: '' });
  const presence = usePresence(present.rows.map(({ id: asset }) => asset));
  const missing = useMissing(id, false, place?.missing);
  const missingWithin = useMissing(place?.children.length ? id : null, true, place?.missingWithin);
  const passing = useRead<{ data: Passing }>(`/locations/${id}/arrivals`);
  useReloadOnMoves(
    ({ data }) => [data.current.location_id, data.previous_location_id].includes(Number(id)),
    () => {
      present.reload();
      passing.reload();
      missing.reload();
      missingWithin.reload();
    },
  );
  if (model === null || place === null) {
    return (
      <div class="page">
        {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
        {problem === null && model === null && <p class="loading">{texts.value.shell.loading}</p>}
        {model !== null && <RetiredPlace id={id} />}
      </div>
    );
  }
  return (
    <div class="page place">
      <PlacePath place={place} />
      <PageHead title={place.name} sub={<span class="mono">{place.key}</span>}>
        <AddWithin parentKey={place.key} />
        <a class="secondary" href={hrefWith({ open: place.id })}>
          {may('operator') ? texts.value.asset.edit : texts.value.asset.details}
        </a>
      </PageHead>
      <dl class="figures">
        <Figure word={t.here} count={place.seen - missing.count} />
        {place.children.length > 0 && (
          <Figure word={t.inAll} count={place.seenWithin - missingWithin.count} />
        )}
        {missing.count > 0 && <Figure word={texts.value.presence.states.missing} count={missing.count} />}
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
              columns={presentColumns(presence.byId)}
              rowKey={({ id: asset }) => asset}
              rowHref={({ id: asset }) => href('asset', asset)}
              empty={
                <EmptyState
                  icon="asset"
                  title={t.none}
                  hint={place.seenWithin > 0 ? t.noneHere : t.noneHint}
                />
              }
            />
          </section>
          <DwellPicture id={place.id} />
          <AntennaList place={place} />
          <SweepList id={place.id} />
        </div>
        <PassingList passing={passing.answer?.data} />
      </div>
      <ChangesOf type="location" id={place.id} />
      <OpenItem kind={PLACE_KIND} rows={[]} />
    </div>
  );
}

/** How many assets are missing from it at this moment; `known` until that is answered. */
function useMissing(id: string | null, isWithin: boolean, known = 0) {
  const { answer, reload } = useRead<{ total_count: number }>(id === null ? null : '/reports/presence', {
    ...{ location_id: id ?? '', include_descendants: isWithin, state: 'missing', limit: 1 },
    include_not_in_effect: true,
  });
  return { count: answer?.total_count ?? known, reload };
}

/** Read-only, with who was there last. */
function RetiredPlace({ id }: { id: string }) {
  const t = texts.value.place;
  const { answer, problem } = useRead<{ data: Location }>(`/retired-locations/${id}`);
  const place = answer?.data;
  if (place === undefined) {
    return problem === null ? null : <EmptyState icon="place" title={t.gone} hint={t.goneHint} />;
  }
  return (
    <>
      <PageHead title={place.name} sub={<span class="mono">{place.external_key}</span>}>
        <Badge tone="refused">{texts.value.places.retired}</Badge>
      </PageHead>
      <Retired screen="place" row={place} />
      <LastStays place={place} />
      <ChangesOf type="location" id={place.id} />
    </>
  );
}

const MOST_STAYS = 50;

function LastStays({ place: { id, created_at: from, deleted_at: to } }: { place: Location }) {
  const t = texts.value.place;
  const { answer } = useRead<{ data: readonly ReportedStay[] }>('/reports/stays', {
    ...{ location_id: id, from, to, sort: '-entered_at', limit: MOST_STAYS, include_deleted: true },
  });
  return answer === undefined || answer.data.length === 0 ? null : (
    <section class="card" aria-labelledby="last-stays">
      <h2 id="last-stays">{t.lastStays}</h2>
      <ul class="facts">
        {answer.data.map(({ asset_id, asset_external_key: key, entered_at, left_at }) => (
          <li key={`${asset_id} ${entered_at}`}>
            <a class="title" href={href('asset', asset_id)}>
              {key}
            </a>
            <span class="hint">
              <Instant at={entered_at} /> – <Instant at={left_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Figure({ word, count }: { word: string; count: number }) {
  return (
    <div class="card">
      <dt class="hint">{word}</dt>
      <dd>{texts.value.now.count(Math.max(0, count))}</dd>
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

type AntennaHere = Row<'GET /locations/{location_id}/antennas'>;

/** The antennas at this location, and when each was last heard. */
function AntennaList({ place: { id, key } }: { place: Place }) {
  const t = texts.value.place;
  const { answer } = useRead<{ data: readonly AntennaHere[] }>(`/locations/${id}/antennas`);
  if (answer === undefined) {
    return null;
  }
  return (
    <section class="card" aria-labelledby="antennas">
      <h2 id="antennas">{t.antennas}</h2>
      {answer.data.length === 0 && <p class="hint">{t.noAntennas}</p>}
      <ul class="facts">
        {answer.data.map(({ reader, port, name, enabled, last_message_at: heard }) => (
          <li key={`${reader.id}/${port}`}>
            <a class="title" href={href('readers', reader.id)}>
              {t.antenna(reader.name, name ?? port)}
            </a>
            <span class="hint">
              {!enabled && `${t.off} · `}
              {heard === null ? (
                t.neverHeard
              ) : (
                <>
                  {t.heard} <Instant at={heard} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <WatchLine place={{ id, external_key: key }} />
    </section>
  );
}

type Dwell = Data<'GET /locations/{location_id}/dwell'>;

/** How long things stay here, as bars. */
function DwellPicture({ id }: { id: number }) {
  const t = texts.value.place;
  const { answer } = useRead<{ data: Dwell }>(`/locations/${id}/dwell`);
  const dwell = answer?.data;
  if (dwell === undefined) {
    return null;
  }
  const most = Math.max(1, ...dwell.bars.map(({ stays }) => stays));
  return (
    <section class="card" aria-labelledby="dwell">
      <h2 id="dwell">{t.dwell}</h2>
      {dwell.stays === 0 || dwell.median_seconds === null ? (
        <p class="hint">{t.noDwell(dwell.days)}</p>
      ) : (
        <>
          <p class="hint">{t.dwellOf(dwell.stays, dwell.days, durationText(dwell.median_seconds * 1_000))}</p>
          <ul class="dwell">
            {dwell.bars.map(({ below, stays }, index) => (
              <li key={below}>
                <span class="dwell-length">
                  {below === null
                    ? t.longer(durationText((dwell.bars[index - 1]?.below ?? 0) * 1_000))
                    : t.shorter(durationText(below * 1_000))}
                </span>
                <span class="dwell-bar" aria-hidden="true">
                  <span style={{ width: `${(100 * stays) / most}%` }} />
                </span>
                <span class="dwell-count">{texts.value.now.count(stays)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {dwell.looked_back_to !== null && (
        <p class="hint">
          {t.lookedBackTo} <Instant at={dwell.looked_back_to} />
        </p>
      )}
    </section>
  );
}

/** Arrivals and departures, the latest first. */
function PassingList({ passing }: { passing: Passing | undefined }) {
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

/** The locations around it, from the outermost. */
function PlacePath({ place }: { place: Place }) {
  const above: Place[] = [];
  for (let each = place.parent; each !== null; each = each.parent) {
    above.unshift(each);
  }
  return (
    <nav class="place-path" aria-label={texts.value.place.path}>
      <a href={href('now')}>{texts.value.screens.now}</a>
      {above.map(({ id, name }) => (
        <span key={id}>
          <span aria-hidden="true"> / </span>
          <a href={href('place', id)}>{name}</a>
        </span>
      ))}
    </nav>
  );
}

/** @param presence by asset, as far as it is known. */
function presentColumns(presence: ReadonlyMap<number, Presence>): readonly Column<Present>[] {
  const t = texts.value.place;
  return [
    {
      title: t.asset,
      cell: ({ name }) => <span class="title">{name}</span>,
      saved: ({ name }) => name,
    },
    {
      title: texts.value.reports.state,
      cell: ({ id }) => {
        const state = presence.get(id)?.state;
        return state === undefined ? <span class="none">–</span> : <StateBadge state={state} />;
      },
      saved: ({ id }) => stateWord(presence.get(id)?.state),
    },
    {
      ...{ title: t.key, weight: 3 },
      cell: ({ external_key: key }) => <span class="mono">{key}</span>,
      saved: ({ external_key: key }) => key,
    },
    {
      ...{ title: t.since, weight: 2 },
      cell: ({ since }) => <Instant at={since} />,
      saved: ({ since }) => since,
    },
    {
      title: t.stayed,
      isNumber: true,
      cell: ({ since }) => (since === null ? '–' : durationText(serverNow() - Date.parse(since))),
      saved: ({ since }) => ({
        [texts.value.common.seconds(t.stayed)]:
          since === null ? null : Math.round((serverNow() - Date.parse(since)) / 1_000),
      }),
    },
    {
      ...{ title: t.lastSeen, weight: 2 },
      cell: ({ last_seen: at }) => <Instant at={at} />,
      saved: ({ last_seen: at }) => at,
    },
  ];
}

type Sweep = Row<'GET /locations/{location_id}/sweeps'>;

/** Results of sweeps of this location; nothing if there were none. */
function SweepList({ id }: { id: number }) {
  const t = texts.value.place;
  const { answer } = useRead<{ data: readonly Sweep[] }>(`/locations/${id}/sweeps`);
  if (answer === undefined || answer.data.length === 0) {
    return null;
  }
  return (
    <section class="card" aria-labelledby="sweeps">
      <h2 id="sweeps">{t.sweeps}</h2>
      <ul class="facts">
        {answer.data.map((sweep) => (
          <li key={sweep.id}>
            <span>
              <Instant at={sweep.ended_at} /> <span class="faint">{sweep.handheld}</span>
            </span>
            <span class="hint">
              {t.sweep(sweep.found, sweep.expected, sweep.missing, sweep.moved_here, sweep.unknown)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
