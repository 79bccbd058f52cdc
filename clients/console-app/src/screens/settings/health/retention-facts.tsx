import { texts } from '../../../texts/texts.ts';
import type { Retention } from './finding.ts';

export function RetentionFacts({ retention }: { retention: Retention }) {
  const t = texts.value.health;
  return (
    <section class="card stack" aria-labelledby="retention-title">
      <h3 id="retention-title">{t.retention}</h3>
      <dl class="facts">
        <dt>{t.scans}</dt>
        <dd>{t.days(retention.scan_days)}</dd>
        <dt>{t.moves}</dt>
        <dd>{retention.move_days === null ? t.forGood : t.days(retention.move_days)}</dd>
        <dt>{t.history}</dt>
        <dd>{t.forGood}</dd>
        <dt>{t.lateness}</dt>
        <dd>{t.days(retention.lateness_days)}</dd>
      </dl>
      <p class="hint">{t.retentionHint}</p>
    </section>
  );
}
