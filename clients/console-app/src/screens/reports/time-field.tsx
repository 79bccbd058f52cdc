import { Field } from '../../parts/field.tsx';
import { address, hrefWith, replaceAddress } from '../../router/router.ts';

/** An instant kept in the address under `name`, shown in the viewer's zone. Empty means none. */
export function TimeField({
  name,
  label,
  hint,
  value,
}: {
  name: string;
  label: string;
  hint?: string;
  /** Shown if the address has none. */
  value?: string;
}) {
  const at = Date.parse(address.value.query.get(name) ?? value ?? '');
  return (
    <Field
      label={label}
      hint={hint}
      type="datetime-local"
      step={60}
      value={localText(at)}
      onValue={(text) => {
        const typed = Date.parse(text);
        if (text === '' || Number.isFinite(typed)) {
          const iso = text === '' ? null : new Date(typed).toISOString();
          replaceAddress(hrefWith({ [name]: iso, page: null }));
        }
      }}
    />
  );
}

/** Local time without a zone, as such fields have it. */
function localText(at: number): string {
  return Number.isFinite(at)
    ? new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    : '';
}
