import type { ApiError } from '../api/api-error.ts';
import { Field } from './field.tsx';
import { faultOf } from './problem-text.ts';

/** When a credential ends, by this device's clock and time zone; empty if it is to last. */
export function ExpiryField({
  label,
  hint,
  value,
  problem,
  onValue,
}: {
  label: string;
  hint: string;
  value: string;
  problem: ApiError | null;
  onValue: (value: string) => void;
}) {
  return (
    <Field
      label={label}
      hint={hint}
      name="expires_at"
      type="datetime-local"
      value={value}
      fault={faultOf(problem, 'expires_at')}
      onValue={onValue}
    />
  );
}

/** `expires_at` for the value of an {@link ExpiryField}. */
export function expiresAt(value: string): string | null {
  return value === '' ? null : new Date(value).toISOString();
}
