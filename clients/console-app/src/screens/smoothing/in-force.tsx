import type { MadeSetting } from '../../api/smoothing.ts';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { settingWords } from './setting-words.ts';
import { queryOf, typed, usualWanted } from './wanted.ts';

/** The settings that hold now, in words: the organization's first. */
export function InForce({ settings }: { settings: readonly MadeSetting[] }) {
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
