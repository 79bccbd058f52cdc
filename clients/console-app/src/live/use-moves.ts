import { useEffect, useRef } from 'preact/hooks';
import type { MoveEvent } from '../api/types.ts';
import { onMoves } from './live.ts';

/** `onMoves` for as long as the component is there; `take` may be another function each time. */
export function useMoves(take: (moves: readonly MoveEvent[]) => void): void {
  const newest = useRef(take);
  newest.current = take;
  useEffect(() => onMoves((moves) => newest.current(moves)), []);
}

/** Milliseconds between two reads of data that moves change. */
const RELOAD_MS = 2_000;

/** Reads again after moves that concern the screen: at once after the first, then at intervals. */
export function useReloadOnMoves(isConcerned: (move: MoveEvent) => boolean, reload: () => void): void {
  const waits = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isDue = useRef(false);
  const run = () => {
    isDue.current = false;
    reload();
    waits.current = setTimeout(() => {
      waits.current = undefined;
      if (isDue.current) {
        run();
      }
    }, RELOAD_MS);
  };
  useMoves((moves) => {
    if (!moves.some(isConcerned)) {
      return;
    }
    isDue.current = true;
    if (waits.current === undefined) {
      run();
    }
  });
  useEffect(() => () => clearTimeout(waits.current), []);
}
