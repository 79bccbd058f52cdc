import { Icon } from '../../../../ui/parts/icon.tsx';
import type { FlappingPair, MadeSetting } from '../../api/smoothing.ts';
import { useRead } from '../../api/use-read.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { queryOf, usualWanted } from './wanted.ts';

/** Where assets went to and fro in the last day, as a place to begin. */
export function Flapping({ settings }: { settings: readonly MadeSetting[] }) {
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
