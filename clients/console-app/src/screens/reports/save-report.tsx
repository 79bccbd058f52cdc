import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { ApiError } from '../../api/api-error.ts';
import { answerOf } from '../../api/send.ts';
import type { List } from '../../api/use-list.ts';
import { asApiError } from '../../api/use-read.ts';
import { MOST_SAVED } from '../../parts/printing.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { saveBlob } from '../../parts/save-file.ts';
import type { QueryValues } from '../../router/address.ts';
import { texts } from '../../texts/texts.ts';

/** Saves a whole report, not only the shown page; as CSV only if the list, which has names too, cannot. */
export function SaveReport({
  name,
  report,
}: {
  name: 'positions' | 'stays' | 'dwell';
  report: List<unknown>;
}) {
  const t = texts.value.reports;
  const { separator } = texts.value.common.csv;
  const { bytes, problem, save, stop } = useSaving();
  const formats = (report.total ?? 0) > MOST_SAVED ? (['csv', 'parquet'] as const) : (['parquet'] as const);
  return (
    <div class="report-save">
      {bytes !== null && (
        <>
          <Progress label={t.saving(bytes)} />
          <button type="button" class="secondary" onClick={stop}>
            {t.stop}
          </button>
        </>
      )}
      {bytes === null &&
        formats.map((format) => (
          <button
            key={format}
            type="button"
            class="secondary"
            disabled={!report.total}
            aria-label={t.saveAs(t.formats[format])}
            onClick={() =>
              save(`${name}.${format}`, `/exports/${name}`, { ...report.query, format, separator })
            }
          >
            <Icon name="download" /> {t.formats[format]}
          </button>
        ))}
      {problem !== null && <ProblemNote problem={problem} />}
    </div>
  );
}

interface Saving {
  /** Bytes that have come; null if nothing is under way. */
  bytes: number | null;
  problem: ApiError | null;
}

const NOTHING: Saving = { bytes: null, problem: null };

/** Saves an answer as a file when all of it is there. Leaving the screen stops it, at the server too. */
function useSaving(): Saving & {
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

/** Collects the download; the browser keeps large ones on disk. */
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
