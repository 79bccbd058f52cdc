import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { answerOf } from '../../api/send.ts';
import { serverNow } from '../../api/server-clock.ts';
import type { Data } from '../../api/types.ts';
import { useNames } from '../../api/use-names.ts';
import { asApiError } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { PlainTable } from '../../parts/table.tsx';
import { texts } from '../../texts/texts.ts';
import { changedSettings, type RuleDraft, settingsOf } from './rule-draft.ts';
import { inFormWords } from './rule-faults.ts';

const DAY_MS = 86_400_000;

const SPANS = [1, 7, 30] as const;

/** The alerts that the typed rule would have raised. Nothing is stored. @param props.stored the rule that is changed. */
export function TryOut({ draft, stored }: { draft: RuleDraft; stored?: { path: string; kept: RuleDraft } }) {
  const t = texts.value.rules;
  const [days, setDays] = useState(7);
  const trial = useRuleTrial();
  const attempt = () => {
    const typed = stored === undefined ? settingsOf(draft) : changedSettings(draft, stored.kept);
    const { name: _, mail_to: __, ...settings } = typed;
    const since = new Date(serverNow() - days * DAY_MS).toISOString();
    void trial.run(draft, `${stored?.path ?? '/rules'}/try`, { ...settings, since });
  };
  return (
    <section class="card stack" aria-labelledby="rule-try">
      <h2 id="rule-try">{t.tryTitle}</h2>
      <p class="hint">{t.tryHint}</p>
      <div class="buttons">
        <label class="filter">
          <span class="unseen">{t.trySpan}</span>
          <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {t.lastDays(span)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="secondary" disabled={trial.isRunning} onClick={attempt}>
          {t.try}
        </button>
      </div>
      {trial.isRunning && (
        <>
          <Progress label={t.trying} />
          <div class="buttons">
            <button type="button" class="secondary" onClick={trial.stop}>
              {t.stop}
            </button>
          </div>
        </>
      )}
      {trial.problem !== null && <ProblemNote problem={trial.problem} />}
      <p class="unseen" role="status">
        {trial.result !== null && t.wouldRaise(trial.result.alert_count, trial.result.subject_count)}
      </p>
      {trial.result !== null && <Outcome trial={trial.result} isOfReaders={draft.kind === 'reader'} />}
    </section>
  );
}

function Outcome({ trial, isOfReaders }: { trial: RuleTrial; isOfReaders: boolean }) {
  const t = texts.value.rules;
  const names = useNames(
    'assets',
    trial.subjects.map(({ asset_external_key: key }) => key),
  );
  return (
    <>
      <p class="in-words">{t.wouldRaise(trial.alert_count, trial.subject_count)}</p>
      {!trial.is_complete && <p class="note">{t.incomplete(trial.looked_at, trial.looked_at_of)}</p>}
      {trial.subjects.length > 0 && (
        <div class="table-box">
          <PlainTable
            rows={trial.subjects}
            rowKey={({ asset_external_key: key, reader_id }) => key ?? String(reader_id)}
            columns={[
              {
                title: isOfReaders ? t.reader : t.asset,
                cell: ({ asset_external_key: key, reader_name }) =>
                  key === null ? reader_name : (names.get(key) ?? key),
              },
              { title: t.alerts, isNumber: true, cell: (row) => row.alert_count },
              {
                title: t.longest,
                isNumber: true,
                cell: (row) => durationText(row.longest_seconds * 1_000),
              },
            ]}
          />
        </div>
      )}
    </>
  );
}

interface TrialState {
  isRunning: boolean;
  result: RuleTrial | null;
  problem: ApiError | null;
}

const NOTHING: TrialState = { isRunning: false, result: null, problem: null };

/** Tries a rule on request; a new trial, `stop` and leaving the page cancel a running one. */
function useRuleTrial() {
  const [state, setState] = useState(NOTHING);
  const running = useRef<AbortController | null>(null);
  const stop = () => {
    running.current?.abort();
    setState(NOTHING);
  };
  useEffect(() => () => running.current?.abort(), []);
  const run = async (draft: RuleDraft, path: string, body: object) => {
    running.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setState({ ...NOTHING, isRunning: true });
    try {
      const answer = await inFormWords(draft, answerOf('POST', path, { body, signal }));
      const { data } = (await answer.json()) as { data: RuleTrial };
      setState({ ...NOTHING, result: data });
    } catch (problem) {
      if (!signal.aborted) {
        setState({ ...NOTHING, problem: asApiError(problem) });
      }
    }
  };
  return { ...state, run, stop };
}

/** The alerts that a rule would have raised. */
type RuleTrial = Data<'POST /rules/try'>;
