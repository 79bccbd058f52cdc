import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { FlappingPair, MadeSetting } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { settingWords } from './setting-words.ts';
import { TrialReport } from './trial-result.tsx';
import { TryForm } from './try-form.tsx';
import { useTrial } from './use-trial.ts';
import { queryOf, typed, usualWanted, wantedInAddress } from './wanted.ts';

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

/** Where assets went to and fro in the last day, as a place to begin. */
function Flapping({ settings }: { settings: readonly MadeSetting[] }) {
  const t = texts.value.smoothing;
  const { answer, problem, reload } = useRead<{ data: readonly FlappingPair[] }>('/smoothing/flapping');
  const pairs = answer?.data;
  // A place with a setting of its own is not reached by everybody's.
  const own = new Set(settings.flatMap(({ location }) => location?.external_key ?? []));
  return (
    <section class="card stack" aria-labelledby="smoothing-flapping">
      <h2 id="smoothing-flapping">{t.flapping}</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {pairs?.length === 0 && <p class="hint">{t.noFlapping}</p>}
      {pairs !== undefined && pairs.length > 0 && (
        <>
          <p class="hint">{t.flappingHint}</p>
          <ul class="lines">
            {pairs.map(({ locations: [a, b], moves, assets }, index) => (
              <li key={`${a.id} ${b.id}`}>
                <div>
                  <p class="smoothing-pair">
                    <a class="title" href={href('place', a.id)}>
                      {a.name}
                    </a>
                    <Icon name="up-down" />
                    <a class="title" href={href('place', b.id)}>
                      {b.name}
                    </a>
                  </p>
                  <p class="hint">{t.flaps(moves, assets)}</p>
                </div>
                {may('admin') && (
                  <a
                    class={`small as-button ${index === 0 ? 'primary' : 'secondary'}`}
                    aria-label={t.beginWith(a.name, b.name)}
                    href={href(
                      'smoothing',
                      queryOf({
                        ...usualWanted(),
                        place: [a, b].find(({ external_key: key }) => own.has(key))?.external_key ?? null,
                      }),
                    )}
                  >
                    {t.begin}
                  </a>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** The settings that hold now, in words: the organization's first. */
function InForce({ settings }: { settings: readonly MadeSetting[] }) {
  const t = texts.value.smoothing;
  const general = settings.find(({ location }) => location === null);
  const own = settings
    .filter(({ location }) => location !== null)
    .toSorted((a, b) => (a.location?.name ?? '').localeCompare(b.location?.name ?? ''));
  return (
    <section class="card stack" aria-labelledby="smoothing-now">
      <h2 id="smoothing-now">{t.inForce}</h2>
      <ul class="lines smoothing-settings">
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
              <p>{settingWords(made, made.location?.name ?? null)}</p>
              <p class="hint">
                {t.since} <Instant at={made.valid_from} />
              </p>
            </div>
            {may('admin') && (
              <a
                class="small secondary as-button"
                aria-label={t.changeOf(made.location?.name ?? t.everywhere)}
                href={href(
                  'smoothing',
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
  const t = texts.value.smoothing;
  return (
    <section class="stack" aria-labelledby="smoothing-history">
      <h2 id="smoothing-history">{t.history}</h2>
      <div class="table-box">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t.from}</th>
              <th scope="col">{t.place}</th>
              <th scope="col">{t.setting}</th>
              <th scope="col" class="weight-2">
                {t.by}
              </th>
            </tr>
          </thead>
          <tbody>
            {settings.map((made) => (
              <tr key={made.id}>
                <td>
                  <Instant at={made.valid_from} />
                </td>
                <td>{made.location?.name ?? t.everywhere}</td>
                <td class="smoothing-setting">
                  {settingWords(made, made.location?.name ?? null)}{' '}
                  {made.is_in_force && <Badge tone="seen">{t.holds}</Badge>}
                </td>
                <td class="weight-2">{whoIs(made.actor)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function whoIs(actor: MadeSetting['actor']): string {
  const t = texts.value.smoothing;
  if (actor === null) {
    return '–';
  }
  return actor.name ?? (actor.type === 'command_line' ? t.commandLine(actor.id) : actor.id);
}
