import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

const MOST = 8;
const EVERY_MS = 60_000;

interface SilentReader {
  id: number;
  name: string;
  state: 'silent' | 'disconnected';
  unheard_since: string | null;
}

/** Readers that cannot be heard: what they would see does not move meanwhile. Nothing where all are heard. */
export function SilentReaders() {
  const t = texts.value.now;
  const { answer, reload } = useRead<{ data: readonly SilentReader[]; total_count: number }>('/readers', {
    ...{ state: ['silent', 'disconnected'], sort: '-last_message_at', limit: MOST },
  });
  useRepeat(reload, EVERY_MS);
  if (answer === undefined || answer.data.length === 0) {
    return null;
  }
  return (
    <section class="card now-notice" aria-labelledby="now-silent">
      <h2 id="now-silent">{t.silent(answer.total_count)}</h2>
      <ul class="facts">
        {answer.data.map(({ id, name, state, unheard_since: since }) => (
          <li key={id}>
            <a class="title" href={href('readers', id)}>
              {name}
            </a>
            <span class="hint">
              {t.unheard[state]} <Instant at={since} />
            </span>
          </li>
        ))}
      </ul>
      {answer.total_count > answer.data.length && (
        <a class="plain" href={href('readers', { state: 'silent' })}>
          {texts.value.common.showAll}
        </a>
      )}
    </section>
  );
}
