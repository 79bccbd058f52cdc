import { useId } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { Says } from './field.tsx';

export const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;

export type Unit = keyof typeof UNITS;

/** As it is typed. */
export interface TypedDuration {
  count: string;
  unit: Unit;
}

/** In the largest unit that gives a whole number. */
export function typedDuration(seconds: number | null, unit: Unit = 'minutes'): TypedDuration {
  if (seconds === null) {
    return { count: '', unit };
  }
  const largest = (['days', 'hours', 'minutes'] as const).find((each) => seconds % UNITS[each] === 0);
  const fitting = seconds === 0 ? unit : (largest ?? 'seconds');
  return { count: String(seconds / UNITS[fitting]), unit: fitting };
}

/** Null where nothing is typed. */
export function secondsOf({ count, unit }: TypedDuration): number | null {
  return count.trim() === '' ? null : Number(count) * UNITS[unit];
}

/** A number with its unit. */
export function DurationField({
  label,
  hint,
  fault = null,
  required = false,
  typed,
  onTyped,
}: {
  label: string;
  hint?: string;
  fault?: string | null;
  required?: boolean;
  typed: TypedDuration;
  onTyped: (typed: TypedDuration) => void;
}) {
  const t = texts.value.durations;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="duration">
        <input
          id={id}
          type="number"
          min={0}
          step={1}
          required={required}
          value={typed.count}
          aria-invalid={fault !== null}
          aria-describedby={`${id}-says`}
          onInput={(event) => onTyped({ ...typed, count: event.currentTarget.value })}
        />
        <select
          aria-label={t.unitOf(label)}
          value={typed.unit}
          onChange={(event) => onTyped({ ...typed, unit: event.currentTarget.value as Unit })}
        >
          {(Object.keys(UNITS) as Unit[]).map((unit) => (
            <option key={unit} value={unit}>
              {t[unit]}
            </option>
          ))}
        </select>
      </div>
      <Says id={id} hint={hint} fault={fault} />
    </div>
  );
}
