import { useEffect, useState } from 'preact/hooks';
import { type Alert, type MoveEvent, PRESENCE_STATES } from '../../api/types.ts';
import { useNames } from '../../api/use-names.ts';
import { type Read, useRead, useRepeat } from '../../api/use-read.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { useMoves } from '../../live/use-moves.ts';
import { useReloadOnAlerts } from '../../live/use-reload-on-alerts.ts';
import { type StateCounts as Counted, useTree } from '../../live/use-tree.ts';
import { alertSubject, alertWords } from '../../parts/alert-words.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { MoveLine } from '../../parts/move-line.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TreeGrid, TreeRow, type TreeRowProps } from '../../parts/tree/tree-grid.tsx';
import { FEW, visibleRows } from '../../parts/tree/visible-rows.ts';
import { address, go, href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { FirstSteps } from './first-steps.tsx';

/** `#/now?q=…`: every place with its assets, and live moves. */
export function NowScreen() {
  const t = texts.value.now;
  const { model, version, problem, reload, states } = useTree();
  const searched = address.value.query.get('q') ?? '';
  if (model === null) {
    return (
      <div class="page">
        <PageHead title={texts.value.screens.now} />
        {problem === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={problem} onRetry={reload} />
        )}
      </div>
    );
  }
  return (
    <div class="page now">
      <PageHead
        title={texts.value.screens.now}
        sub={t.sub(model.assets, model.size)}
        about={model.assets > 0 ? 'states' : undefined}
      />
      <FirstSteps model={model} />
      {model.assets > 0 && <StateCounts states={states} />}
      {model.size === 0 ? (
        <EmptyState icon="places" title={t.none} hint={t.noneHint}>
          {may('operator') && (
            <a class="primary" href={href('places')}>
              {t.toPlaces}
            </a>
          )}
        </EmptyState>
      ) : (
        <div class="now-columns">
          <section class="now-tree" aria-label={t.places}>
            <div class="filters">
              <SearchField label={t.search} />
            </div>
            <PlaceTree model={model} version={version} searched={searched} />
          </section>
          <div class="place-side">
            <OpenAlerts />
            <SilentReaders />
            <LatestMoves model={model} />
          </div>
        </div>
      )}
    </div>
  );
}

/** As many as a screen shows; older ones are on the pages of locations and assets. */
const MOST_MOVES = 40;

/** Moves as they are committed, latest first, after earlier ones. */
function LatestMoves({ model }: { model: TreeModel }) {
  const t = texts.value.now;
  const { answer } = useRead<{ data: readonly MoveEvent[] }>('/latest-moves');
  const [moves, setMoves] = useState<readonly MoveEvent[]>([]);
  const add = (more: readonly MoveEvent[]) =>
    setMoves((before) => {
      const known = new Set(before.map(({ data }) => data.position));
      return [...before, ...more.filter(({ data }) => isMove(data) && !known.has(data.position))]
        .toSorted((a, b) => b.data.position - a.data.position)
        .slice(0, MOST_MOVES);
    });
  useMoves(add);
  useEffect(() => add(answer?.data ?? []), [answer]);
  const newest = answer?.data.at(-1)?.data.position ?? Number.POSITIVE_INFINITY;
  return (
    <section class="card now-moves" aria-labelledby="now-moves">
      <h2 id="now-moves">{t.moves}</h2>
      {moves.length === 0 ? (
        <p class="hint">{answer === undefined ? '' : t.noMoves}</p>
      ) : (
        <ul class="move-list">
          {moves.map(({ time, data }) => (
            <MoveLine
              key={data.position}
              at={data.current.since ?? time}
              asset={data.asset}
              from={model.place(data.previous_location_id)}
              to={model.place(data.current.location_id)}
              isNew={data.position > newest}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function isMove({ current, previous_location_id, part }: MoveEvent['data']): boolean {
  return current.location_id !== previous_location_id && (part === undefined || part[0] === 1);
}

const MOST_ALERTS = 8;

/** Alerts that nobody has acknowledged, newest first. Nothing without any. */
function OpenAlerts() {
  const t = texts.value.alerts;
  const { answer, reload } = useRead<{ data: readonly Alert[]; total_count: number }>('/alerts', {
    ...{ state: 'open', sort: '-opened_at', limit: MOST_ALERTS },
  });
  useReloadOnAlerts(reload);
  const names = useNames('assets', answer?.data.map(({ asset }) => asset?.external_key ?? null) ?? []);
  if (answer === undefined || answer.data.length === 0) {
    return null;
  }
  return (
    <section class="card now-notice" aria-labelledby="now-alerts">
      <h2 id="now-alerts">{t.openOnes(answer.total_count)}</h2>
      <ul class="facts">
        {answer.data.map((alert) => (
          <li key={alert.id}>
            <a class="title" href={href('alerts', { open: alert.id })}>
              {alertSubject(alert, names)}
            </a>
            <span class="hint">
              {alertWords(alert)} <Instant at={alert.opened_at} />
            </span>
          </li>
        ))}
      </ul>
      {answer.total_count > answer.data.length && (
        <a class="plain" href={href('alerts')}>
          {texts.value.common.showAll}
        </a>
      )}
    </section>
  );
}

const MOST_READERS = 8;
const READERS_EVERY_MS = 60_000;

interface SilentReader {
  id: number;
  name: string;
  state: 'silent' | 'disconnected';
  unheard_since: string | null;
}

/** Silent readers: what they would see does not move meanwhile. Nothing if all are heard. */
function SilentReaders() {
  const t = texts.value.now;
  const { answer, reload } = useRead<{ data: readonly SilentReader[]; total_count: number }>('/readers', {
    ...{ state: ['silent', 'disconnected'], sort: '-last_message_at', limit: MOST_READERS },
  });
  useRepeat(reload, READERS_EVERY_MS);
  if (answer === undefined || answer.data.length === 0) {
    return null;
  }
  return (
    <section class="card now-notice" aria-labelledby="now-silent">
      <h2 id="now-silent">{t.silent(answer.total_count)}</h2>
      <ul class="facts">
        {answer.data.map(({ id, name, state, unheard_since: since }) => (
          <li key={id}>
            <a class="title" href={href('readers', id)}>
              {name}
            </a>
            <span class="hint">
              {t.unheard[state]} <Instant at={since} />
            </span>
          </li>
        ))}
      </ul>
      {answer.total_count > answer.data.length && (
        <a class="plain" href={href('readers', { state: 'silent' })}>
          {texts.value.common.showAll}
        </a>
      )}
    </section>
  );
}

/** Numbers of assets by state, each with a link to them. */
function StateCounts({ states: { answer, problem, reload } }: { states: Read<{ data: Counted }> }) {
  const t = texts.value.presence;
  const counted = answer?.data;
  if (counted === undefined && problem !== null) {
    return <ProblemNote problem={problem} onRetry={reload} />;
  }
  if (counted?.counts === null) {
    return (
      <p class="hint">
        {counted.not_counted === 'assets' ? t.notCounted.assets(counted.most_assets) : t.notCounted.evidence}{' '}
        <a class="plain" href={href('reports', 'presence')}>
          {t.toReport}
        </a>
      </p>
    );
  }
  return (
    <ul class="state-counts" aria-label={t.title} aria-busy={counted === undefined}>
      {PRESENCE_STATES.map((state) => (
        <li key={state}>
          <a
            class={counted?.counts?.[state] === 0 ? 'state-count' : `state-count state-${state}`}
            href={href('reports', 'presence', { state })}
          >
            <span class="state-number">
              {counted === undefined ? '…' : texts.value.now.count(counted.counts?.[state] ?? 0)}
            </span>
            <span class="hint">{t.states[state]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Opened or closed by hand, for as long as the page lives. */
const chosen = new Map<number, boolean>();

function PlaceTree({ model, searched }: { model: TreeModel; version: number; searched: string }) {
  const t = texts.value.now;
  const [, draw] = useState(0);
  const [current, setCurrent] = useState<number | null>(null);
  const isOpen = (place: Place) =>
    chosen.get(place.id) ?? (model.size <= FEW || (place.parent === null && place.children.length <= FEW));
  const rows = visibleRows(model, isOpen, searched);
  const most = Math.max(1, ...model.roots.map(({ total }) => total));
  if (rows.length === 0) {
    return <EmptyState icon="search" title={t.nothingFound} />;
  }
  return (
    <div class="tree-box">
      <div class="tree-head" aria-hidden="true">
        <span>{t.place}</span>
        <span>{t.here}</span>
        <span>{t.inAll}</span>
      </div>
      <TreeGrid
        {...{ rows, current }}
        label={t.places}
        columns={3}
        keysOf={({ place }) => ({ Enter: () => go(href('place', place.id)) })}
        onCurrent={setCurrent}
        onToggle={(row) => {
          chosen.set(row.place.id, !row.isOpen);
          draw((count) => count + 1);
        }}
      >
        {(row) => <PlaceRow key={row.row.place.id} {...row} most={most} />}
      </TreeGrid>
    </div>
  );
}

/** Milliseconds for which a row is lit after an arrival or departure. */
const LIT_MS = 1_500;

/** A place with its assets; a bar compares it with the fullest. */
function PlaceRow({ most, ...tree }: TreeRowProps & { most: number }) {
  const t = texts.value.now;
  const { place } = tree.row;
  const isLit = place.touchedAt > 0 && performance.now() - place.touchedAt < LIT_MS;
  return (
    <TreeRow {...tree} link={{ href: href('place', place.id) }}>
      {/* biome-ignore lint/a11y/useSemanticElements: of a row that is no element of a table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
      <div role="gridcell" class="tree-count">
        {place.here === 0 ? <span class="none">–</span> : t.count(place.here)}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div role="gridcell" class="tree-total">
        <span class="tree-bar" aria-hidden="true">
          <span style={{ width: `${(100 * place.total) / most}%` }} />
        </span>
        <span class={isLit ? 'tree-number is-lit' : 'tree-number'} key={isLit ? place.touchedAt : 0}>
          {t.count(place.total)}
        </span>
      </div>
    </TreeRow>
  );
}
