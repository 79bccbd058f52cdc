import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { texts } from '../texts/texts.ts';

interface Named {
  label: string;
  hint?: ComponentChildren;
  /** Its fault, from `faultOf`. */
  fault?: string | null;
}

interface TextProps {
  value: string;
  name?: string;
  class?: string;
  required?: boolean;
  readOnly?: boolean;
  disabled?: boolean;
  minLength?: number;
  maxLength?: number;
  placeholder?: string;
  spellcheck?: boolean;
}

interface InputProps extends TextProps {
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local';
  autocomplete?: AutoFill;
  min?: number | string;
  max?: number | string;
  step?: number | 'any';
  inputMode?: 'decimal';
}

type AutoFill = 'off' | 'name' | 'username' | 'current-password' | 'new-password';

/** A text field with its label, and below it the error or a hint. */
export function Field({
  label,
  hint,
  fault = null,
  onValue,
  onRef,
  ...input
}: Named & {
  onValue: (value: string) => void;
  onRef?: (element: HTMLInputElement | null) => void;
} & InputProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(onRef === undefined ? {} : { ref: onRef })}
        {...(input as JSX.IntrinsicElements['input'])}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-says`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <Says id={id} hint={hint} fault={fault} />
    </div>
  );
}

/**
 * A number with decimals. A comma becomes a point while it is typed: a field of the type `number` drops it in some languages,
 * and 20,66 would be 2066.
 */
export function DecimalField({
  range: [min, max],
  onValue,
  fault = null,
  value,
  ...input
}: Named & {
  range: readonly [number, number];
  value: string;
  required?: boolean;
  readOnly?: boolean;
  placeholder?: string;
  onValue: (value: string) => void;
}) {
  const own = value === '' || isDecimal(value, [min, max]) ? null : texts.value.common.decimal(min, max);
  return (
    <Field
      {...{ ...input, value, inputMode: 'decimal', fault: own ?? fault }}
      onValue={(typed) => onValue(typed.replace(',', '.'))}
      onRef={(element) => element?.setCustomValidity(own ?? '')}
    />
  );
}

export function isDecimal(text: string, [min, max]: readonly [number, number]): boolean {
  return /^-?\d{1,9}(\.\d{0,9})?$/.test(text) && Number(text) >= min && Number(text) <= max;
}

export function TextArea({
  label,
  hint,
  fault = null,
  onValue,
  ...area
}: Named & { onValue: (value: string) => void } & TextProps & { rows?: number }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        {...area}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-says`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <Says id={id} hint={hint} fault={fault} />
    </div>
  );
}

export function Select<Value extends string>({
  label,
  hint,
  fault = null,
  options,
  value,
  onValue,
}: Named & {
  options: readonly { value: Value; word: string }[];
  value: Value;
  onValue: (value: Value) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-says`}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.word}
          </option>
        ))}
      </select>
      <Says id={id} hint={hint} fault={fault} />
    </div>
  );
}

/** The field's fault, or else a hint. Its id is the field's, with `-says`. */
export function Says({ id, hint, fault }: { id: string; hint: ComponentChildren; fault: string | null }) {
  return (
    <div id={`${id}-says`}>
      {fault !== null && <p class="fault">{fault}</p>}
      {fault === null && hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}

/** Local time without a zone, as fields of times have it. */
export function localText(at: number): string {
  return Number.isFinite(at)
    ? new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    : '';
}
