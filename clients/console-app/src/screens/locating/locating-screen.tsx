import { useEffect, useRef } from 'preact/hooks';
import { remove } from '../../api/send.ts';
import { serverNow } from '../../api/server-clock.ts';
import type { MadeSetting } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { PlainTable } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { Proposals } from './proposals.tsx';
import { TrialReport } from './trial-result.tsx';
import { settingWords, TryForm } from './try-form.tsx';
import { useTrial } from './use-trial.ts';
import { queryOf, typed, usualWanted, wantedInAddress } from './wanted.ts';

/**
 * `#/locating?place=…&by=strength&certainty=1&from=…&to=…`: what decides where assets are, and the effect of another
 * setting.
 */
export function LocatingScreen() {
  const t = texts.value.locating;
  const { answer, problem, reload } = useRead<{ data: readonly MadeSetting[] }>('/locating');
  const mayTry = may('admin');
  const opened = useRef(serverNow());
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
  const isProposing = trial.result === null && !isBusy;
  const made = answer?.data;
  const inForce = made?.filter(({ state }) => state === 'in_force') ?? [];
  return (
    <div class="page locating">
      <PageHead title={texts.value.screens.locating} sub={t.sub} about="location" />
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      <div class={mayTry ? 'cards' : 'stack'}>
        {mayTry && <TryForm tried={tried} problem={trial.problem} onAgain={trial.again} />}
        <div class={isProposing ? 'locating-side is-proposing' : 'locating-side'} ref={side}>
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
          {isProposing && <Proposals isWhole={made !== undefined} since={lastBegun(inForce)} />}
        </div>
      </div>
      {made !== undefined && made.length > 0 && <SettingHistory settings={made} />}
    </div>
  );
}

/** When the last of these began that decides otherwise than by every read; null without any. */
function lastBegun(inForce: readonly MadeSetting[]): string | null {
  const deciding = inForce.filter(({ procedure }) => procedure === 'strength' || procedure === 'position');
  return (
    deciding
      .map(({ valid_from: from }) => from)
      .toSorted()
      .at(-1) ?? null
  );
}

/** The settings that hold now, in words: the organization's first. */
function InForce({ settings }: { settings: readonly MadeSetting[] }) {
  const t = texts.value.locating;
  const general = settings.find(({ location }) => location === null);
  const own = settings
    .filter(({ location }) => location !== null)
    .toSorted((a, b) => (a.location?.name ?? '').localeCompare(b.location?.name ?? ''));
  return (
    <section class="card stack" aria-labelledby="locating-now">
      <h2 id="locating-now">{t.inForce}</h2>
      <ul class="lines locating-settings">
        {general === undefined && (
          <li>
            <div>
              <strong>{own.length === 0 ? t.everywhere : t.elsewhere}</strong>
              <p>{t.everyRead}</p>
            </div>
          </li>
        )}
        {[...(general === undefined ? [] : [general]), ...own].map((made) => (
          <li key={made.id}>
            <div>
              <strong>
                {made.location === null ? (
                  own.length === 0 ? (
                    t.everywhere
                  ) : (
                    t.elsewhere
                  )
                ) : (
                  <a href={href('place', made.location.id)}>{made.location.name}</a>
                )}
              </strong>
              <p>{settingWords(made)}</p>
              {made.position_lacks !== null && (
                <p class="note note-problem">{t.positionLacks[made.position_lacks]}</p>
              )}
              <p class="hint">
                {t.since} <Instant at={made.valid_from} />
              </p>
            </div>
            {may('admin') && (
              <a
                class="small secondary as-button"
                aria-label={t.changeOf(made.location?.name ?? t.everywhere)}
                href={href(
                  'locating',
                  queryOf({
                    ...usualWanted(),
                    place: made.location?.external_key ?? null,
                    ...typed(made),
                  }),
                )}
              >
                {t.change}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Every setting there was, newest first. */
function SettingHistory({ settings }: { settings: readonly MadeSetting[] }) {
  const t = texts.value.locating;
  return (
    <section class="stack" aria-labelledby="locating-history">
      <h2 id="locating-history">{t.history}</h2>
      <div class="table-box">
        <PlainTable
          rows={settings}
          rowKey={({ id }) => id}
          columns={[
            { title: t.from, cell: (made) => <Instant at={made.valid_from} /> },
            { title: t.place, cell: (made) => made.location?.name ?? t.everywhere },
            {
              title: t.setting,
              class: 'locating-setting',
              cell: (made) => (
                <>
                  {settingWords(made)}{' '}
                  {made.state !== 'ended' && (
                    <Badge tone={made.state === 'in_force' ? 'seen' : 'queued'}>{t.states[made.state]}</Badge>
                  )}{' '}
                  {made.state === 'planned' && may('admin') && <RemovePlanned made={made} />}
                </>
              ),
            },
            { title: t.by, weight: 2, cell: (made) => whoIs(made.actor) },
          ]}
        />
      </div>
    </section>
  );
}

function RemovePlanned({ made }: { made: MadeSetting }) {
  const t = texts.value.locating;
  const { run, isBusy, problem } = useAction();
  const where = made.location?.name ?? t.everywhere;
  const ask = async () => {
    const question = { title: `${t.removeOf(where)}?`, body: settingWords(made), action: t.remove };
    if ((await confirm(question)) && (await run(() => remove(`/locating/${made.id}`)))) {
      toast(t.removed(where));
    }
  };
  return (
    <>
      <button
        type="button"
        class="small secondary"
        aria-label={t.removeOf(where)}
        disabled={isBusy}
        onClick={() => void ask()}
      >
        {t.remove}
      </button>
      {problem !== null && <ProblemNote problem={problem} />}
    </>
  );
}

function whoIs(actor: MadeSetting['actor']): string {
  const t = texts.value.locating;
  if (actor === null) {
    return '–';
  }
  return actor.name ?? (actor.type === 'command_line' ? t.commandLine(actor.id) : actor.id);
}
