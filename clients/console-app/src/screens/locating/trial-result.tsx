import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type {
  MoveCounts,
  Reference,
  Stay,
  TrialResult,
  TriedAsset,
  TriedMove,
  TriedPair,
  TriedStay,
} from '../../api/types.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant, instantText } from '../../parts/instant.tsx';
import { PlainTable } from '../../parts/table.tsx';
import { Lanes } from '../../parts/timeline/lanes.tsx';
import { type Bar, lanesOf } from '../../parts/timeline/lanes-of.ts';
import type { Range } from '../../parts/timeline/ticks.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** What the tried setting would change: in numbers, by pair of places, by asset, move by move. */
export function TrialReport({ result }: { result: TrialResult }) {
  const t = texts.value.locating;
  const { covered, present, proposed, removed, added, redated, returns, returns_then } = result;
  return (
    <>
      <section class="card stack" aria-labelledby="locating-result">
        <h2 id="locating-result">{t.result}</h2>
        <dl class="locating-counts">
          <Count word={t.movesNow} count={present} />
          <Count word={t.movesThen} count={proposed} isStrong />
          <Count word={t.returnsNow} count={returns} />
          <Count word={t.returnsThen} count={returns_then} isStrong />
          <Count word={t.wouldGo} count={removed} />
          <Count word={t.wouldCome} count={added} />
          <Count word={t.datedAnew} count={redated} />
        </dl>
        {covered.cut_by !== null && (
          <div class="note note-problem">
            <Icon name="alert" />
            <p>
              {covered.cut_by === 'scans'
                ? t.cutByScans(covered.most_scans ?? covered.scans, instantText(covered.to, true))
                : t.cutByAssets(covered.assets, covered.of, covered.cut_by === 'time')}
            </p>
          </div>
        )}
        <p class="hint">
          <Instant at={covered.from} isLong /> – <Instant at={covered.to} isLong />:{' '}
          {t.looked(covered.scans, covered.assets)} {t.nothingChanged}
        </p>
      </section>
      {present + proposed === 0 ? (
        <p class="hint">{t.noMoves}</p>
      ) : (
        <>
          <Walk walk={result.walk} />
          <PairTable pairs={result.pairs} others={result.other_pairs} />
          <WorstAssets result={result} />
          <MoveList moves={result.moves} leftOut={result.moves_left_out} />
        </>
      )}
    </>
  );
}

/** How long antennas alone were right about one asset, where a person scanned it with a handheld. */
function Walk({ walk }: { walk: TrialResult['walk'] }) {
  const t = texts.value.locating;
  if (walk === null) {
    return <p class="note note-problem">{t.walkTooLong}</p>;
  }
  if (walk.length === 0) {
    return null;
  }
  return (
    <section class="stack" aria-labelledby="locating-walk">
      <h2 id="locating-walk">{t.walk}</h2>
      <p class="hint">{t.walkHint}</p>
      <div class="table-box">
        <PlainTable
          rows={walk}
          rowKey={({ location }) => location.id}
          columns={[
            { title: t.walked, cell: ({ location }) => placeLink(location) },
            { title: t.walkedFor, isNumber: true, cell: ({ seconds }) => t.seconds(seconds) },
            { title: t.rightNow, isNumber: true, cell: ({ right_percent: now }) => t.percent(now) },
            {
              title: t.rightThen,
              isNumber: true,
              cell: ({ right_percent_then: then }) => <strong>{t.percent(then)}</strong>,
            },
          ]}
        />
      </div>
    </section>
  );
}

function Count({ word, count, isStrong = false }: { word: string; count: number; isStrong?: boolean }) {
  return (
    <div class={isStrong ? 'is-strong' : undefined}>
      <dt>{word}</dt>
      <dd>{texts.value.locating.count(count)}</dd>
    </div>
  );
}

const FEW_MOVES = 10;

/** Milliseconds around a move for which its asset's timeline is opened. */
const AROUND = 300_000;

/** The moves that would disappear, and those that would be added. */
function MoveList({ moves, leftOut }: { moves: readonly TriedMove[]; leftOut: number }) {
  const t = texts.value.locating;
  const [count, setCount] = useState(FEW_MOVES);
  if (moves.length === 0) {
    return null;
  }
  return (
    <section class="stack" aria-labelledby="locating-moves">
      <h2 id="locating-moves">{t.which}</h2>
      <div class="table-box">
        <PlainTable
          rows={moves.slice(0, count)}
          rowKey={({ asset, at, change }) => `${asset.id} ${at} ${change}`}
          columns={[
            { title: t.at, cell: ({ at }) => <Instant at={at} /> },
            {
              title: t.asset,
              cell: ({ asset, at }) => (
                <a class="title" href={href('asset', asset.id, around(at))}>
                  {asset.name}
                </a>
              ),
            },
            { title: t.move, weight: 2, cell: ({ from, to }) => <Pair from={from.name} to={to.name} /> },
            {
              title: t.change,
              isTitleUnseen: true,
              isNumber: true,
              cell: ({ change }) =>
                change === 'disappears' ? (
                  <Badge tone="refused">{t.goes}</Badge>
                ) : (
                  <Badge tone="seen">{t.comes}</Badge>
                ),
            },
          ]}
        />
        {(count < moves.length || leftOut > 0) && (
          <p class="pager">
            {count < moves.length ? (
              <button type="button" class="small secondary" onClick={() => setCount(moves.length)}>
                {t.moreMoves(moves.length - count)}
              </button>
            ) : (
              t.leftOut(leftOut)
            )}
          </p>
        )}
      </div>
    </section>
  );
}

function around(at: string) {
  const middle = Date.parse(at);
  return {
    from: new Date(middle - AROUND).toISOString(),
    to: new Date(middle + AROUND).toISOString(),
  };
}

const FEW_PAIRS = 8;

/** Moves from one place to another, now and then; the pairs that would change most come first. */
function PairTable({ pairs, others }: { pairs: readonly TriedPair[]; others: MoveCounts }) {
  const t = texts.value.locating;
  const [count, setCount] = useState(FEW_PAIRS);
  const hasOthers = others.present + others.proposed > 0;
  const rows: readonly (MoveCounts & Partial<TriedPair>)[] =
    hasOthers && count >= pairs.length ? [...pairs, others] : pairs.slice(0, count);
  return (
    <section class="stack" aria-labelledby="locating-pairs">
      <h2 id="locating-pairs">{t.pairs}</h2>
      <div class="table-box">
        <PlainTable
          rows={rows}
          columns={[
            {
              title: t.move,
              cell: ({ from, to }) =>
                from === undefined || to === undefined ? (
                  <span class="faint">{t.otherPairs}</span>
                ) : (
                  <Pair from={placeLink(from)} to={placeLink(to)} />
                ),
            },
            { title: t.now, isNumber: true, cell: ({ present }) => t.count(present) },
            {
              title: t.after,
              isNumber: true,
              cell: ({ proposed }) => <strong>{t.count(proposed)}</strong>,
            },
            { title: t.wouldGo, isNumber: true, weight: 2, cell: ({ removed }) => t.count(removed) },
            { title: t.wouldCome, isNumber: true, weight: 2, cell: ({ added }) => t.count(added) },
            { title: t.datedAnew, isNumber: true, weight: 2, cell: ({ redated }) => t.count(redated) },
          ]}
        />
        {count < pairs.length && (
          <p class="pager">
            <button type="button" class="small secondary" onClick={() => setCount(pairs.length)}>
              {t.morePairs(pairs.length - count)}
            </button>
          </p>
        )}
      </div>
    </section>
  );
}

function Pair({ from, to }: { from: ComponentChildren; to: ComponentChildren }) {
  return (
    <span class="locating-pair">
      {from}
      <Icon name="moved" />
      {to}
    </span>
  );
}

function placeLink({ id, name }: Reference) {
  return (
    <a class="title" href={href('place', id)}>
      {name}
    </a>
  );
}

/** Milliseconds. */
const LEAST_MARGIN = 5_000;

/** The assets that would change most, with their stays now and then; if none would change, those that move most. */
function WorstAssets({ result }: { result: TrialResult }) {
  const t = texts.value.locating;
  const places = new Map(result.locations.map((place) => [place.id, place]));
  const changed = result.assets.filter(({ removed, added }) => removed + added > 0);
  return (
    <section class="stack" aria-labelledby="locating-assets">
      <h2 id="locating-assets">{changed.length > 0 ? t.worst : t.mostMoving}</h2>
      {(changed.length > 0 ? changed : result.assets).map((tried) => (
        <Tried key={tried.asset.id} tried={tried} places={places} covered={result.covered} />
      ))}
    </section>
  );
}

function Tried({
  tried,
  places,
  covered,
}: {
  tried: TriedAsset;
  places: ReadonlyMap<number, Reference>;
  covered: TrialResult['covered'];
}) {
  const t = texts.value.locating;
  const range = rangeOf(tried, covered);
  const now = lanesOf(staysOf(tried.stays, places), range, range.to);
  const then = lanesOf(staysOf(tried.stays_then, places), range, range.to);
  const picture = { range, now: range.to, places: [...now, ...then], ticks: 5, titleOf };
  return (
    <article class="card stack locating-asset">
      <h3>
        <a
          href={href('asset', tried.asset.id, {
            from: new Date(range.from).toISOString(),
            to: new Date(range.to).toISOString(),
          })}
        >
          {tried.asset.name}
        </a>
      </h3>
      <p class="hint">
        {t.movesOf(tried.present, tried.proposed)}
        {tried.told_until !== null && ` ${t.toldUntil(instantText(tried.told_until, true))}`}
      </p>
      <div class="locating-lanes">
        <h4>{t.now}</h4>
        <div>
          <Lanes lanes={now} {...picture} />
        </div>
        <h4>{t.after}</h4>
        <div>
          <Lanes lanes={then} {...picture} />
        </div>
      </div>
    </article>
  );
}

/** From shortly before its first move to shortly after its last, now or then: the rest of the range shows nothing. */
function rangeOf({ stays, stays_then, told_until }: TriedAsset, { from, to }: TrialResult['covered']): Range {
  const whole = { from: Date.parse(from), to: Date.parse(told_until ?? to) };
  const moves = [...stays.slice(1), ...stays_then.slice(1)].map(([, since]) => since);
  if (moves.length === 0) {
    return whole;
  }
  const [first, last] = [Math.min(...moves), Math.max(...moves)];
  const margin = Math.max(LEAST_MARGIN, (last - first) / 20);
  return { from: Math.max(whole.from, first - margin), to: Math.min(whole.to, last + margin) };
}

function staysOf(stays: readonly TriedStay[], places: ReadonlyMap<number, Reference>): Stay[] {
  return stays.map(([id, since], index) => {
    const next = stays[index + 1];
    return {
      location: places.get(id) ?? { id, external_key: String(id), name: String(id) },
      arrived_at: new Date(since).toISOString(),
      left_at: next === undefined ? null : new Date(next[1]).toISOString(),
    };
  });
}

function titleOf({ stay, count }: Bar): string {
  if (count > 1) {
    return texts.value.asset.severalStays(count);
  }
  const until = stay.left_at === null ? '…' : instantText(stay.left_at, true);
  return `${stay.location.name}\n${instantText(stay.arrived_at, true)} – ${until}`;
}
