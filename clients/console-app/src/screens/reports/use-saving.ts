import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { answerOf } from '../../api/send.ts';
import { asApiError } from '../../api/use-read.ts';
import { saveBlob } from '../../parts/save-file.ts';
import type { QueryValues } from '../../router/address.ts';

interface Saving {
  /** Bytes that have come; null if nothing is under way. */
  bytes: number | null;
  problem: ApiError | null;
}

const NOTHING: Saving = { bytes: null, problem: null };

/** Saves an answer as a file when all of it is there. Leaving the screen stops it, at the server too. */
export function useSaving(): Saving & {
  save: (name: string, path: string, query: QueryValues) => void;
  stop: () => void;
} {
  const [state, setState] = useState(NOTHING);
  const stopping = useRef<AbortController | null>(null);
  const stop = () => {
    stopping.current?.abort();
    setState(NOTHING);
  };
  useEffect(() => () => stopping.current?.abort(), []);
  const save = (name: string, path: string, query: QueryValues) => {
    stopping.current?.abort();
    const stopper = new AbortController();
    const { signal } = stopper;
    stopping.current = stopper;
    setState({ bytes: 0, problem: null });
    const tell = (bytes: number) => signal.aborted || setState({ bytes, problem: null });
    received(path, query, signal, tell).then(
      (file) => {
        if (!signal.aborted) {
          saveBlob(name, file);
          setState(NOTHING);
        }
      },
      (problem: unknown) => signal.aborted || setState({ bytes: null, problem: asApiError(problem) }),
    );
  };
  return { ...state, save, stop };
}

/** The browser keeps what has come, on disk if it is much. */
async function received(
  path: string,
  query: QueryValues,
  signal: AbortSignal,
  tell: (bytes: number) => void,
): Promise<Blob> {
  const { body, headers } = await answerOf('GET', path, { query, signal });
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, target) {
      bytes += piece.length;
      tell(bytes);
      target.enqueue(piece);
    },
  });
  return new Response(body?.pipeThrough(counting) ?? null, { headers }).blob();
}
