import type { Why } from '../../api/whereabouts.ts';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';

/** Milliseconds from a read to its record, at the most, where nothing holds it up. */
const RECORDED_WITHIN = 5_000;

/**
 * What was said of the stay's beginning, and was wrong. That the asset is where it was before is said, and rightly, until
 * the read that moves it is recorded.
 */
export function corrected({ stay, said_before: said }: Why): Why['said_before'] {
  const recorded = Date.parse(stay?.from ?? '') + RECORDED_WITHIN;
  return said.filter(({ until }) => Date.parse(until) > recorded);
}

export function SaidBefore({ said }: { said: Why['said_before'] }) {
  const t = texts.value.why;
  if (said.length === 0) {
    return null;
  }
  return (
    <section>
      <h3>{t.saidBefore}</h3>
      <ul class="said">
        {said.map(({ location, until }) => (
          <li key={until}>
            <span class="title">{location?.name ?? t.nowhere}</span>
            <span class="hint">
              {t.until} <Instant at={until} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
