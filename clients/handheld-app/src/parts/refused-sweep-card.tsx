import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import type { FinishedSweep } from '../sweep/finished-sweeps.ts';
import { texts } from '../texts/texts.ts';
import { momentOf } from './titles.ts';

/** A finished sweep that the gateway refuses: the reason, and what the user can do. */
export function RefusedSweepCard({ refused }: { refused: FinishedSweep }) {
  const app = useApp();
  const said = texts.value.history;
  const [isSure, setSure] = useState(false);
  const { sweep_id, sweep, reason } = refused;
  return (
    <section class="refused-card" aria-label={said.refusedSweep}>
      <h2>
        <Icon name="refused" />
        {said.sweepRefused(sweep.place.name)}
      </h2>
      <p class="refused-reason">{reason}</p>
      <p class="hint">{said.sweepKept(momentOf(sweep.started_at))}</p>
      <div class="pair">
        <button type="button" class="secondary" onClick={() => void app.refused.sendSweepAgain(sweep_id)}>
          {said.sendAgain}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => (isSure ? void app.refused.discardSweep(sweep_id) : setSure(true))}
        >
          {isSure ? said.yesDiscard : said.discard}
        </button>
      </div>
    </section>
  );
}
