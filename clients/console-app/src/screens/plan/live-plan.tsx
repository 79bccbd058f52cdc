import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  Found,
  FoundAsset,
  MoveEvent,
  PlanDot,
  PlanDots,
  PlanSize,
  PlanWithPlaces,
} from '../../api/types.ts';
import { useRead, useRepeat } from '../../api/use-read.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { useMoves, useReloadOnMoves } from '../../live/use-moves.ts';
import { PlanDots as DrawnDots } from '../../parts/plan-dots.tsx';
import { address, go, href, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { PlanBox } from './plan-box.tsx';
import { type Light, PlanOutlines, PlanPin } from './plan-marks.tsx';
import { middleOf, type Shapes, shapesOf, shownPlace } from './shapes.ts';
import { useViewport, type View } from './use-viewport.ts';

/** A plan with its assets, live. */
export function LivePlan({ plan, model }: { plan: PlanWithPlaces; model: TreeModel; version: number }) {
  const shapes = shapesOf(plan.places);
  const view = useViewport(plan, shapes.size);
  const arrivals = useArrivals(model, shapes, view.sheet);
  const lit = useLit(model, shapes);
  const { dots, isCut } = useDots(plan);
  const lightOf = (id: number): Light => (lit.places === null ? null : lit.places.has(id) ? 'lit' : 'dim');
  const shown = [...(lit.places ?? [])].sort((a, b) => a - b).join();
  useEffect(() => {
    const points = [...(lit.places ?? [])].map((id) => middleOf(shapes.get(id) ?? [[0.5, 0.5]]));
    if (points.length > 0) {
      view.change((viewport) => viewport.show(points));
    }
  }, [shown]);
  return (
    <div class="plan">
      <PlanBox plan={plan} view={view}>
        <PlanOutlines shapes={shapes} lightOf={lightOf} onOpen={(id) => go(hrefWith({ open: id }))} />
        {[...shapes].map(([id, points]) => {
          const place = model.place(id);
          return place === null ? null : (
            <PlanPin
              key={id}
              place={place}
              total={place.total}
              points={points}
              arrivals={arrivals.get(id) ?? 0}
              light={lightOf(id)}
            />
          );
        })}
        {plan.scale !== null && dots.length > 0 && (
          <Dots size={plan.scale} dots={dots} view={view} found={lit.places === null ? null : lit.assets} />
        )}
      </PlanBox>
      {dots.length > 0 && (
        <p class="hint">
          {isCut ? texts.value.plan.newestDots(dots.length) : texts.value.plan.dots(dots.length)}
        </p>
      )}
      {lit.places !== null && <LitList lit={lit} model={model} dots={dots} />}
    </div>
  );
}

/** Found assets, their places, and whether these are on the plan. */
function LitList({
  lit: { places, assets, elsewhere },
  model,
  dots,
}: {
  lit: Lit;
  model: TreeModel;
  dots: readonly PlanDot[];
}) {
  const t = texts.value.plan;
  const withinOf = (id: number) => dots.find(({ asset }) => asset.id === id)?.radius_m;
  const isNothing = assets.length === 0 && elsewhere.length === 0 && places?.size === 0;
  return (
    <div class="lit-list card" role="status">
      {isNothing && <p class="hint">{t.nothingFound}</p>}
      <ul>
        {assets.slice(0, MOST).map(({ asset, shownAt }) => (
          <li key={asset.id}>
            <a class="title" href={href('asset', asset.id)}>
              {asset.name}
            </a>{' '}
            <span class="hint">
              {asset.location === null ? texts.value.assets.nowhere : asset.location.name}
              {asset.location !== null && shownAt === null && ` (${t.notHere})`}
              {shownAt !== null && shownAt !== asset.location?.id && ` (${model.place(shownAt)?.name})`}
              {withinOf(asset.id) !== undefined && `, ${t.within(withinOf(asset.id) ?? 0)}`}
            </span>
          </li>
        ))}
        {elsewhere.slice(0, MOST).map(({ id, name }) => (
          <li key={`place-${id}`}>
            <a class="title" href={href('place', id)}>
              {name}
            </a>{' '}
            <span class="hint">({t.notHere})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Milliseconds between two looks where assets are: within a place they move without a move of the feed. */
const LOOK_MS = 3_000;

/** Positions of assets on the plan; none without a scale. */
function useDots(plan: PlanWithPlaces): { dots: readonly PlanDot[]; isCut: boolean } {
  const { answer, reload } = useRead<{ data: PlanDots }>(
    plan.scale === null ? null : `/plans/${plan.id}/positions`,
  );
  useRepeat(reload, LOOK_MS);
  useReloadOnMoves(() => plan.scale !== null, reload);
  return { dots: answer?.data.dots ?? [], isCut: answer?.data.is_cut ?? false };
}

/** Pixels from a dot's middle within which it is meant. */
const REACH = 10;

/** Dots of assets, and the name of the one that was clicked. */
function Dots({
  size,
  dots,
  view,
  found,
}: {
  size: PlanSize;
  dots: readonly PlanDot[];
  view: View;
  /** Found assets; null without a search. */
  found: Lit['assets'] | null;
}) {
  const [picked, setPicked] = useState<number | null>(null);
  const lit = found === null ? null : new Set(found.map(({ asset }) => asset.id));
  const pick = ({ clientX, clientY }: MouseEvent) => {
    const box = view.box.current?.getBoundingClientRect();
    if (box === undefined) {
      return;
    }
    const { viewport } = view;
    const [x, y] = viewport.pointAt(clientX - box.left, clientY - box.top);
    const distanceOf = (dot: PlanDot) =>
      Math.hypot((dot.x / size.width_m - x) * viewport.width, (dot.y / size.height_m - y) * viewport.height);
    const [nearest] = dots.toSorted((a, b) => distanceOf(a) - distanceOf(b));
    setPicked(nearest !== undefined && distanceOf(nearest) <= REACH ? nearest.asset.id : null);
  };
  const named = dots.find(({ asset }) => asset.id === picked);
  return (
    <>
      <DrawnDots
        size={size}
        dots={dots}
        isLit={lit === null ? null : (index) => lit.has(dots[index]?.asset.id ?? 0)}
        onPick={pick}
      />
      {named !== undefined && (
        <a
          class="dot-note"
          style={{ left: `${(100 * named.x) / size.width_m}%`, top: `${(100 * named.y) / size.height_m}%` }}
          href={href('asset', named.asset.id)}
        >
          {named.asset.name} · {texts.value.plan.within(named.radius_m)}
        </a>
      )}
    </>
  );
}

const MOST = 6;

/** Moving dots at a time; nobody could follow more. */
const MOST_DOTS = 24;
const WAY_MS = 900;

/**
 * Draws each move as a dot that goes from one place to the other, and counts the arrivals of each place, so that it can
 * pulse at another one.
 */
function useArrivals(
  model: TreeModel,
  shapes: Shapes,
  sheet: RefObject<HTMLElement | null>,
): ReadonlyMap<number, number> {
  const arrivals = useRef(new Map<number, number>());
  const dots = useRef(0);
  const [, draw] = useState(0);
  const send = (from: number, to: number) => {
    const [start, end] = [shapes.get(from), shapes.get(to)];
    if (sheet.current === null || start === undefined || end === undefined || dots.current >= MOST_DOTS) {
      return;
    }
    const dot = document.createElement('span');
    dot.className = 'plan-dot';
    sheet.current.append(dot);
    dots.current += 1;
    const at = ([x, y]: readonly [number, number]) => ({ left: `${100 * x}%`, top: `${100 * y}%` });
    const way = dot.animate([at(middleOf(start)), at(middleOf(end))], {
      duration: WAY_MS,
      easing: 'ease-in-out',
    });
    const finish = () => {
      dot.remove();
      dots.current -= 1;
    };
    way.addEventListener('finish', finish);
    way.addEventListener('cancel', finish);
  };
  useMoves((moves) => {
    let isSeen = false;
    for (const { data } of moves.filter(isMove)) {
      const from = shownPlace(model, shapes, data.previous_location_id);
      const to = shownPlace(model, shapes, data.current.location_id);
      if (to === null || to === from) {
        continue;
      }
      arrivals.current.set(to, (arrivals.current.get(to) ?? 0) + 1);
      isSeen = true;
      if (from !== null && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
        send(from, to);
      }
    }
    if (isSeen) {
      draw((count) => count + 1);
    }
  });
  return arrivals.current;
}

function isMove({ data: { current, previous_location_id, part } }: MoveEvent): boolean {
  return current.location_id !== previous_location_id && (part === undefined || part[0] === 1);
}

interface Lit {
  /** Null while nothing is looked for. */
  places: ReadonlySet<number> | null;
  assets: readonly { asset: FoundAsset; shownAt: number | null }[];
  /** Places found by name or key that are not on this plan. */
  elsewhere: readonly Place[];
}

/** Least characters for a search. */
const ENOUGH = 2;

/** Where on the plan the assets found by `find` in the address are. It follows moves. */
function useLit(model: TreeModel, shapes: Shapes): Lit {
  const text = (address.value.query.get('find') ?? '').trim();
  const { answer, reload } = useRead<{ data: Found }>(text.length < ENOUGH ? null : '/find', { q: text });
  const found = answer?.data.assets ?? [];
  useReloadOnMoves(({ data }) => found.some(({ id }) => id === data.asset.id), reload);
  if (text === '') {
    return { places: null, assets: [], elsewhere: [] };
  }
  const named = model.search(text);
  const assets = found.map((asset) => ({
    asset,
    shownAt: shownPlace(model, shapes, asset.location?.id ?? null),
  }));
  const shown = named.map((place) => ({ place, shownAt: shownPlace(model, shapes, place.id) }));
  const ids = [...assets, ...shown].flatMap(({ shownAt }) => (shownAt === null ? [] : shownAt));
  return {
    places: new Set(ids),
    assets,
    elsewhere: shown.flatMap(({ place, shownAt }) => (shownAt === null ? place : [])),
  };
}
