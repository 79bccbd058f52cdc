import { useEffect, useRef, useState } from 'preact/hooks';
import type { QueryValues } from '../router/address.ts';
import { ApiError } from './api-error.ts';
import { organizationId } from './organization.ts';
import { read, reconnections } from './send.ts';
import { writesTo } from './writes.ts';

export interface Read<Answer> {
  /** The newest answer, which stays while another one of the same path is on its way. */
  answer: Answer | undefined;
  problem: ApiError | null;
  isLoading: boolean;
  /** Whether `answer` belongs to the present request, not to an earlier one. */
  isCurrent: boolean;
  /** Reloads after the present request is answered, so that frequent calls cancel nothing. */
  reload: () => void;
}

/**
 * Reads `path`, and again whenever it, the query or the organization changes, and after writes to the resource. Only
 * the newest request counts; earlier ones are cancelled. Null reads nothing.
 */
export function useRead<Answer>(
  path: string | null,
  query: QueryValues = {},
  load = read<Answer>,
): Read<Answer> {
  const [state, setState] = useState<State<Answer>>(NOTHING);
  const [reloads, setReloads] = useState(0);
  const isUnderWay = useRef(false);
  const isWantedAgain = useRef(false);
  const key = JSON.stringify([
    path,
    query,
    organizationId.value,
    path === null ? 0 : writesTo(path),
    reloads,
  ]);
  const reload = () => {
    isWantedAgain.current = isUnderWay.current;
    if (!isUnderWay.current) {
      setReloads((before) => before + 1);
    }
  };
  useEffect(() => {
    isUnderWay.current = path !== null;
    isWantedAgain.current = false;
    if (path === null) {
      setState(NOTHING);
      return undefined;
    }
    const stop = new AbortController();
    const end = (next: (before: State<Answer>) => State<Answer>) => {
      if (!stop.signal.aborted) {
        setState(next);
        isUnderWay.current = false;
        if (isWantedAgain.current) {
          reload();
        }
      }
    };
    setState((before) => (before.path === path ? { ...before, isLoading: true } : { ...NOTHING, path }));
    load(path, { query, signal: stop.signal }).then(
      (answer) => end(() => ({ path, key, answer, problem: null, isLoading: false })),
      (problem: unknown) => end((before) => ({ ...before, problem: asApiError(problem), isLoading: false })),
    );
    return () => stop.abort();
  }, [key]);
  const { answer, problem, isLoading } = state;
  useEffect(() => {
    if (problem?.type === 'offline') {
      reload();
    }
  }, [reconnections.value]);
  const isCurrent = answer !== undefined && state.key === key;
  return { answer, problem, isLoading, isCurrent, reload };
}

interface State<Answer> {
  path: string | null;
  /** The request that `answer` answers. */
  key: string;
  answer: Answer | undefined;
  problem: ApiError | null;
  isLoading: boolean;
}

const NOTHING = { path: null, key: '', answer: undefined, problem: null, isLoading: true };

export function asApiError(problem: unknown): ApiError {
  return problem instanceof ApiError ? problem : new ApiError(0, 'unreadable', String(problem));
}

/** Calls `again` periodically while the page is visible. */
export function useRepeat(again: () => void, milliseconds: number): void {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
}
