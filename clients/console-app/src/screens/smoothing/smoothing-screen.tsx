import { useEffect, useRef } from 'preact/hooks';
import type { MadeSetting } from '../../api/smoothing.ts';
import { useRead } from '../../api/use-read.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { Flapping } from './flapping.tsx';
import { InForce } from './in-force.tsx';
import { SettingHistory } from './setting-history.tsx';
import { TrialReport } from './trial-result.tsx';
import { TryForm } from './try-form.tsx';
import { useTrial } from './use-trial.ts';
import { wantedInAddress } from './wanted.ts';

/** `#/smoothing?place=…&mode=on&window=30&min=5&margin=6&from=…&to=…`: when moves count, and what another setting would change. */
export function SmoothingScreen() {
  const t = texts.value.smoothing;
  const { answer, problem, reload } = useRead<{ data: readonly MadeSetting[] }>('/smoothing');
  const mayTry = may('admin');
  const opened = useRef(Date.now());
  const tried = mayTry ? wantedInAddress(opened.current) : null;
  const trial = useTrial(tried);
  const side = useRef<HTMLDivElement>(null);
  const isBusy = trial.isRunning;
  useEffect(() => {
    // On phones what comes of it is below the form.
    if (isBusy && (side.current?.getBoundingClientRect().top ?? 0) > window.innerHeight / 2) {
      side.current?.scrollIntoView({ block: 'start' });
    }
  }, [isBusy]);
  const made = answer?.data;
  const inForce = made?.filter(({ is_in_force: holds }) => holds) ?? [];
  return (
    <div class="page smoothing">
      <PageHead title={texts.value.screens.smoothing} sub={t.sub} />
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <div class={mayTry ? 'cards' : 'stack'}>
        {mayTry && <TryForm tried={tried} problem={trial.problem} onAgain={trial.again} />}
        <div class="smoothing-side" ref={side}>
          <p class="unseen" role="status">
            {trial.result !== null && t.movesOf(trial.result.present, trial.result.proposed)}
          </p>
          {trial.isRunning && (
            <div class="card stack">
              <Progress
                label={
                  trial.progress === null ? t.trying : t.tryingOf(trial.progress.assets, trial.progress.of)
                }
                {...(trial.progress === null ? {} : { done: trial.progress.assets, of: trial.progress.of })}
              />
              <div class="buttons">
                <button type="button" class="secondary" onClick={trial.stop}>
                  {t.stop}
                </button>
              </div>
            </div>
          )}
          {trial.result !== null && <TrialReport result={trial.result} />}
          {made !== undefined && <InForce settings={inForce} />}
          {made !== undefined && trial.result === null && !trial.isRunning && <Flapping settings={inForce} />}
        </div>
      </div>
      {made !== undefined && made.length > 0 && <SettingHistory settings={made} />}
    </div>
  );
}
