import { useId } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Asset, Data } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { faultOf } from '../../parts/problem-text.ts';
import { texts } from '../../texts/texts.ts';
import {
  type FieldsProps,
  ITEM_FIELDS,
  type ItemDraft,
  type ItemKind,
  itemDraftOf,
  itemValuesOf,
} from '../items/item-kind.ts';

interface AssetDraft extends ItemDraft {
  metadata: readonly MetadataField[];
  /** Its numbers are too long for a browser, or there are too many fields. */
  isMetadataFixed: boolean;
}

interface MetadataField {
  name: string;
  text: string;
  /** Kept as long as the text is; undefined for a new field. */
  stored: unknown;
}

export const ASSET_KIND: ItemKind<Asset, AssetDraft> = {
  path: '/assets',
  retired: { path: '/retired-assets', screen: 'asset' },
  words: () => texts.value.assets,
  draftOf: (asset) => {
    const metadata = Object.entries(asset?.metadata ?? {});
    return {
      ...itemDraftOf(asset),
      metadata: metadata.map(([name, stored]) => ({ name, text: metadataText(stored), stored })),
      isMetadataFixed: metadata.length > MOST_FIELDS || !isExact(asset?.metadata),
    };
  },
  valuesOf: (draft) => ({
    ...itemValuesOf(draft),
    metadata: Object.fromEntries(draft.metadata.map((field) => [field.name, typedValue(field)])),
  }),
  shownFields: [...ITEM_FIELDS, 'metadata'],
  MoreFields: MetadataFields,
};

/** More are not edited by hand. */
const MOST_FIELDS = 50;
export const MOST_LETTERS = { name: 100, text: 1_000 };

/** A value of metadata as people read it. */
export function metadataText(value: unknown): string {
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}

/** What was a number or yes-or-no stays one, if the new text is, too. */
function typedValue({ text, stored }: MetadataField): unknown {
  if (stored !== undefined && text === metadataText(stored)) {
    return stored;
  }
  const isNumber = typeof stored === 'number' && /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/.test(text);
  return isNumber || (typeof stored === 'boolean' && /^(true|false)$/.test(text)) ? JSON.parse(text) : text;
}

/** Whether the browser has all digits of every number. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number') {
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  }
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
}

/** Metadata as names and values, with names and values that other assets have as suggestions. */
function MetadataFields(props: FieldsProps<AssetDraft>) {
  return props.draft.isMetadataFixed ? (
    <p class="hint">{texts.value.metadata.fixed}</p>
  ) : (
    <EditMetadata {...props} />
  );
}

function EditMetadata({ draft, problem, isReadOnly, onDraft }: FieldsProps<AssetDraft>) {
  const t = texts.value.metadata;
  const id = useId();
  const { answer } = useRead<{ data: Data<'GET /metadata-fields'> }>(isReadOnly ? null : '/metadata-fields');
  const known = answer?.data ?? [];
  const { metadata } = draft;
  const set = (changed: readonly MetadataField[]) => onDraft({ ...draft, metadata: changed });
  const fault = faultOf(problem, 'metadata');
  return (
    <fieldset class="metadata">
      <legend>{t.title}</legend>
      <Suggestions id={id} values={known.map(({ name }) => name)} />
      {metadata.map((field, index) => (
        <MetadataRow
          key={index}
          field={field}
          isTwice={metadata.findIndex(({ name }) => name === field.name) < index}
          namesId={id}
          values={known.find(({ name }) => name === field.name)?.values ?? []}
          isReadOnly={isReadOnly}
          onField={(changed) => set(metadata.with(index, changed))}
          onRemove={() => set(metadata.toSpliced(index, 1))}
        />
      ))}
      {fault !== null && <p class="fault">{fault}</p>}
      {!isReadOnly && metadata.length < MOST_FIELDS && (
        <button
          type="button"
          class="secondary small"
          onClick={() => set([...metadata, { name: '', text: '', stored: undefined }])}
        >
          {t.add}
        </button>
      )}
    </fieldset>
  );
}

/** A text, with known ones as suggestions. */
export function FieldInput({
  id,
  label,
  value,
  most,
  known,
  onValue,
}: {
  id: string;
  label: string;
  value: string;
  most: number;
  known: readonly string[];
  onValue: (text: string) => void;
}) {
  return (
    <span class="field">
      <input
        {...{ 'aria-label': label, placeholder: label, required: true, maxLength: most, list: id, value }}
        pattern=".*\S.*"
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <Suggestions id={id} values={known} />
    </span>
  );
}

function Suggestions({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

function MetadataRow({
  field: { name, text, stored },
  isTwice,
  namesId,
  values,
  isReadOnly,
  onField,
  onRemove,
}: {
  field: MetadataField;
  isTwice: boolean;
  namesId: string;
  values: readonly string[];
  isReadOnly: boolean;
  onField: (field: MetadataField) => void;
  onRemove: () => void;
}) {
  const t = texts.value.metadata;
  const id = useId();
  const isNested = typeof stored === 'object' && stored !== null;
  return (
    <div class="metadata-row field">
      <input
        ref={(input) => input?.setCustomValidity(isTwice ? t.twice : '')}
        aria-label={t.name}
        placeholder={t.name}
        required
        maxLength={MOST_LETTERS.name}
        list={namesId}
        readOnly={isReadOnly}
        value={name}
        onInput={(event) => onField({ name: event.currentTarget.value, text, stored })}
      />
      <input
        aria-label={t.valueOf(name)}
        maxLength={MOST_LETTERS.text}
        list={id}
        readOnly={isReadOnly || isNested}
        value={text}
        onInput={(event) => onField({ name, text: event.currentTarget.value, stored })}
      />
      <Suggestions id={id} values={values} />
      {!isReadOnly && (
        <button
          type="button"
          class="quiet"
          aria-label={t.remove(name)}
          title={t.remove(name)}
          onClick={onRemove}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}
