import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { MoveEvent } from '../../live/move-event.ts';
import type { TreeModel } from '../../live/tree-model.ts';
import { useMoves } from '../../live/use-moves.ts';
import { middleOf, type Shapes, shownPlace } from './shapes.ts';

/** Dots under way at a time: of more, nobody sees where each goes. */
const MOST_DOTS = 24;
const WAY_MS = 900;

/**
 * Draws each move as a dot that goes from one place to the other, and counts the arrivals of each place, so that it can
 * pulse at another one.
 */
export function useArrivals(
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
