import { useEffect } from 'preact/hooks';
import type { WholeImport } from '../../api/import.ts';
import { post, remove } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { noteWrite } from '../../api/writes.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { Applied } from './applied.tsx';
import { Outcome } from './outcome.tsx';

/** Milliseconds between looks at how far it is. */
const AGAIN = 1_000;

export function OneImport({ id }: { id: string }) {
  const t = texts.value.imports;
  const path = `/imports/${id}`;
  const { answer, problem: missing, reload } = useRead<{ data: WholeImport }>(path);
  const kept = answer?.data;
  const { run, isBusy, problem } = useAction();
  const isWorkedOn = kept?.state === 'checking' || kept?.state === 'applying';
  const isWaiting = isBusy || isWorkedOn;
  useEffect(() => {
    const timer = isWaiting ? setTimeout(reload, AGAIN) : undefined;
    return () => clearTimeout(timer);
  }, [answer, missing, isWaiting]);
  const check = () => void run(() => post(`${path}/check`)).then(reload);
  useEffect(() => {
    if (kept?.state === 'uploaded' && problem === null) {
      check();
    }
  }, [kept?.state]);
  const apply = async () => {
    if (await run(() => post(`${path}/apply`))) {
      noteWrite(kept?.resource === 'location' ? '/locations' : '/assets');
    }
    // It may have been refused, with what it would change now.
    reload();
  };
  const discard = async () => {
    if (await run(() => remove(path))) {
      go(href('import', { of: kept?.resource }));
    }
  };
  if (kept === undefined) {
    return (
      <div class="page">
        <PageHead title={t.title} />
        {missing === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={missing} onRetry={reload} />
        )}
      </div>
    );
  }
  const { outcome, state, rows, done_rows } = kept;
  const canApply = state === 'checked' && outcome !== null && outcome.counts.faulty === 0;
  const changes = (outcome?.counts.created ?? 0) + (outcome?.counts.updated ?? 0);
  return (
    <div class="page">
      <PageHead title={kept.file_name} sub={t.subOf[kept.resource]}>
        {!isWaiting && state !== 'applied' && (
          <button type="button" class="secondary" onClick={() => void discard()}>
            {t.discard}
          </button>
        )}
        {!isWaiting && (outcome?.counts.faulty ?? 0) > 0 && (
          <a class="primary" href={href('import', kept.resource === 'location' ? { of: 'location' } : {})}>
            {t.chooseMended}
          </a>
        )}
        {canApply && changes > 0 && (
          <button type="button" class="primary" disabled={isBusy} onClick={() => void apply()}>
            {t.apply(changes)}
          </button>
        )}
      </PageHead>
      {isWaiting && (
        <section class="card stack" aria-live="polite">
          <Progress
            label={state === 'applying' ? t.applying(done_rows) : t.checking(done_rows)}
            {...(rows === null ? {} : { done: done_rows, of: rows })}
          />
          <p class="hint">{t.canBeLeft}</p>
        </section>
      )}
      {problem !== null && <ProblemNote problem={problem} onRetry={state === 'uploaded' ? check : reload} />}
      {state === 'applied' && outcome !== null && <Applied kept={kept} counts={outcome.counts} />}
      {outcome !== null && !isWaiting && <Outcome outcome={outcome} isApplied={state === 'applied'} />}
    </div>
  );
}
