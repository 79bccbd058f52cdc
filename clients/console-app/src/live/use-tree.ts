import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/api-error.ts';
import type { Data } from '../api/types.ts';
import { type Read, useRead, useRepeat } from '../api/use-read.ts';
import { writesTo } from '../api/writes.ts';
import { movesAfter, onReset } from './live.ts';
import { TreeModel, type TreeRow } from './tree-model.ts';
import { useMoves } from './use-moves.ts';

/** Milliseconds after which a tree with missing moves is read again: by then there is a newer one. */
const AGAIN_MS = 1_100;

/** Moves tell of no place that others have made or retired, nor of an asset that was. */
const REFRESH_MS = 60_000;

/** Milliseconds for which the server's tree may lack a move made here. */
const LACKS_MS = 5_000;

const ownMoves = signal<readonly { id: number; parentId: number | null; at: number }[]>([]);

/** The server has put a place into another, or on top: every tree shows it at once. */
export function noteOwnMove(id: number, parentId: number | null): void {
  const at = performance.now();
  ownMoves.value = [...ownMoves.value.filter((move) => move.at > at - LACKS_MS), { id, parentId, at }];
}

interface Tree {
  model: TreeModel | null;
  /** Another one whenever the model has changed: components with the same props are not drawn again. */
  version: number;
  problem: ApiError | null;
  reload: () => void;
  states: Read<{ data: StateCounts }>;
}

export type StateCounts = Data<'GET /presence'>;

/** The live tree, redrawn with every move. */
export function useTree(): Tree {
  const { answer, problem, reload } = useRead<{ data: { position: number; locations: readonly TreeRow[] } }>(
    '/tree',
  );
  // As old as a minute: the server keeps its answer.
  const states = useRead<{ data: StateCounts }>('/presence');
  useRepeat(states.reload, REFRESH_MS);
  const model = useRef<{ of: unknown; model: TreeModel } | null>(null);
  const again = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [version, draw] = useState(0);
  const readAgain = () => {
    again.current ??= setTimeout(() => {
      again.current = undefined;
      reload();
    }, AGAIN_MS);
  };
  if (answer !== undefined && model.current?.of !== answer) {
    model.current = { of: answer, model: new TreeModel(answer.data) };
  }
  const current = model.current?.model ?? null;
  for (const { id, parentId, at } of ownMoves.value) {
    if (at > performance.now() - LACKS_MS) {
      current?.reparent(id, parentId);
    }
  }
  useLayoutEffect(() => {
    current?.setMissing(states.answer?.data.missing_from ?? []);
    draw((count) => count + 1);
  }, [current, states.answer]);
  const applyAll = () => {
    if (current !== null) {
      const missing = movesAfter(current.position);
      if (missing === null || !current.apply(missing, performance.now())) {
        readAgain();
      }
      draw((count) => count + 1);
    }
  };
  useMoves(applyAll);
  useEffect(applyAll, [current]);
  useEffect(() => onReset(reload), []);
  // The server's tree is up to a second old.
  useAfterWrites(readAgain);
  useEffect(() => {
    const timer = setInterval(reload, REFRESH_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(again.current);
    };
  }, []);
  return { model: current, version, problem, reload, states };
}

/** Calls `again` after each write to places here. */
function useAfterWrites(again: () => void): void {
  const writes = writesTo('/locations');
  const known = useRef(writes);
  useEffect(() => {
    if (writes !== known.current) {
      known.current = writes;
      again();
    }
  }, [writes]);
}
