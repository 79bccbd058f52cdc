import { useEffect, useState } from 'preact/hooks';
import type { Alert, Data, MoveEvent } from '../../api/types.ts';
import { PRESENCE_STATES } from '../../api/types.ts';
import { useNames } from '../../api/use-names.ts';
import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import type { TreeModel } from '../../live/tree-model.ts';
import { useMoves } from '../../live/use-moves.ts';
import { useReloadOnAlerts } from '../../live/use-reload-on-alerts.ts';
import { useTree } from '../../live/use-tree.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { MoveLine } from '../../parts/move-line.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { address, href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { alertSubject, alertWords } from '../alerts/alert-words.ts';
import { PlaceTree } from './place-tree.tsx';

/** `#/now?q=…`: every place with what is there, and the moves as they come. */
export function NowScreen() {
  const t = texts.value.now;
  const { model, version, problem, reload } = useTree();
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
      <PageHead title={texts.value.screens.now} sub={t.sub(model.assets, model.size)} />
      {model.assets > 0 && <StateCounts />}
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

/** As many as a screen shows; older ones are on the locations' and assets' own screens. */
const MOST_MOVES = 40;

/** Moves as they are committed, the latest first, after those that were before. */
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

/** Alerts that nobody has acknowledged yet, the newest first. Nothing where there are none. */
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

/** Readers that cannot be heard: what they would see does not move meanwhile. Nothing where all are heard. */
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

/** As long as the server's answer stays the same. */
const COUNTS_EVERY_MS = 60_000;

type StateCounts = Data<'GET /presence'>;

/** Assets by state; each leads to those that are in it. */
function StateCounts() {
  const t = texts.value.presence;
  const { answer, problem, reload } = useRead<{ data: StateCounts }>('/presence');
  useRepeat(reload, COUNTS_EVERY_MS);
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
