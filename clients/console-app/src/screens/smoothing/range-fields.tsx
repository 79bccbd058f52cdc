import { Field } from '../../parts/field.tsx';
import { texts } from '../../texts/texts.ts';
import { lastRange } from './wanted.ts';

const HOUR = 3_600_000;

const SPANS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR } as const;

/** From when to when, in the viewer's zone. */
export function RangeFields({
  from,
  to,
  faults,
  onRange,
}: {
  from: number;
  to: number;
  faults: { from: string | null; to: string | null };
  onRange: (range: { from: number; to: number }) => void;
}) {
  const t = texts.value.smoothing;
  return (
    <fieldset class="smoothing-range">
      <legend>{t.range}</legend>
      <div class="buttons">
        {(['hour', 'day', 'week'] as const).map((span) => (
          <button
            key={span}
            type="button"
            class="small secondary"
            onClick={() => onRange(lastRange(SPANS[span]))}
          >
            {t.spans[span]}
          </button>
        ))}
      </div>
      <div class="smoothing-times">
        <Field
          label={t.from}
          type="datetime-local"
          step={60}
          required
          value={localText(from)}
          fault={faults.from}
          onValue={(text) => onRange({ from: Date.parse(text), to })}
        />
        <Field
          label={t.to}
          type="datetime-local"
          step={60}
          required
          value={localText(to)}
          fault={faults.to}
          onValue={(text) => onRange({ from, to: Date.parse(text) })}
        />
      </div>
    </fieldset>
  );
}

/** As such fields have it: the local time without its zone. */
function localText(at: number): string {
  return Number.isFinite(at)
    ? new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    : '';
}
