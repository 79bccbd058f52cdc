import { type ListedFormat, NO_FORMAT } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Field, Select } from '../../parts/field.tsx';
import { texts } from '../../texts/texts.ts';

interface ReaderDraft {
  name: string;
  topic: string;
  format: string;
}

/** What a reader is registered with. */
export function ReaderFields<Draft extends ReaderDraft>({
  draft,
  onDraft,
}: {
  draft: Draft;
  onDraft: (draft: Draft) => void;
}) {
  const t = texts.value.readers;
  return (
    <>
      <Field
        label={t.name}
        hint={t.nameHint}
        required
        maxLength={255}
        value={draft.name}
        onValue={(name) => onDraft({ ...draft, name })}
      />
      <Field
        label={t.topic}
        hint={t.topicHint}
        class="mono"
        required
        spellcheck={false}
        value={draft.topic}
        onValue={(topic) => onDraft({ ...draft, topic })}
      />
      <FormatSelect value={draft.format} onValue={(format) => onDraft({ ...draft, format })} />
    </>
  );
}

function FormatSelect({ value, onValue }: { value: string; onValue: (format: string) => void }) {
  const t = texts.value.readers;
  const { answer } = useRead<{ data: readonly ListedFormat[] }>('/formats');
  const usable = (answer?.data ?? []).filter(({ fault }) => fault === null);
  const names = new Set([NO_FORMAT, value, ...usable.map(({ name }) => name)]);
  return (
    <Select
      label={t.format}
      hint={usable.find(({ name }) => name === value)?.description ?? t.formatHint}
      value={value}
      options={[...names].map((name) => ({
        value: name,
        word: name === NO_FORMAT ? t.noFormat : wordOf(name, usable),
      }))}
      onValue={onValue}
    />
  );
}

/** Descriptions begin with the devices. */
function wordOf(name: string, formats: readonly ListedFormat[]): string {
  const [devices, rest] = formats.find((each) => each.name === name)?.description.split(': ', 2) ?? [];
  return rest === undefined ? name : `${devices} (${name})`;
}
