import { Field, Select } from '../../parts/field.tsx';
import { hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { CODES, type Codes } from './label-layout.ts';
import { SIZE_NAMES, type SizeName } from './sizes.ts';

export function LabelOptions({
  size,
  codes,
  first,
  most,
}: {
  size: SizeName;
  codes: Codes;
  first: number;
  most: number;
}) {
  const t = texts.value.labels;
  const set = (values: Record<string, string | number>) => replaceAddress(hrefWith(values));
  return (
    <div class="label-options">
      <Select
        label={t.paper}
        value={size}
        options={SIZE_NAMES.map((value) => ({ value, word: t.sizes[value] }))}
        onValue={(value) => set({ size: value })}
      />
      <Select
        label={t.codes}
        value={codes}
        options={CODES.map((value) => ({ value, word: t.codesOf[value] }))}
        onValue={(value) => set({ codes: value })}
      />
      {most > 0 && (
        <Field
          label={t.used}
          type="number"
          min={0}
          max={most}
          value={String(first)}
          onValue={(value) => set({ first: value })}
        />
      )}
    </div>
  );
}
