import type { Reader } from '../../api/reader.ts';
import { useRead } from '../../api/use-read.ts';
import { TextArea } from '../../parts/field.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { texts } from '../../texts/texts.ts';
import { CheckList } from './check-list.tsx';
import type { DraftFields } from './rule-draft.ts';

/** Which assets, or readers, a rule is about. */
export function AboutFields({ draft, problem, onChange }: DraftFields) {
  const t = texts.value.rules;
  if (draft.kind === 'reader') {
    return <ReaderFields draft={draft} problem={problem} onChange={onChange} />;
  }
  const isNarrowed = draft.within !== null || draft.assets !== '' || draft.metadata !== '';
  return (
    <details class="rule-about" open={isNarrowed || undefined}>
      <summary>{isNarrowed ? t.aboutSome : t.aboutAll}</summary>
      <div class="stack">
        <ItemPicker
          resource="locations"
          label={t.within}
          hint={t.withinHint}
          none={t.anywhere}
          fault={faultOf(problem, 'within_location_external_key')}
          picked={draft.within === null ? null : { id: 0, external_key: draft.within }}
          onPick={(place) => onChange({ within: place?.external_key ?? null })}
        />
        <TextArea
          label={t.assets}
          hint={t.assetsHint}
          class="mono"
          spellcheck={false}
          rows={3}
          value={draft.assets}
          fault={faultOf(problem, 'asset_external_keys')}
          onValue={(assets) => onChange({ assets })}
        />
        <TextArea
          label={t.metadata}
          hint={t.metadataHint}
          class="mono"
          spellcheck={false}
          placeholder="type=forklift"
          rows={2}
          value={draft.metadata}
          fault={faultOf(problem, 'metadata')}
          onValue={(metadata) => onChange({ metadata })}
        />
      </div>
    </details>
  );
}

function ReaderFields({ draft, problem, onChange }: DraftFields) {
  const t = texts.value.rules;
  const { answer } = useRead<{ data: readonly Reader[] }>('/readers', { sort: 'name', limit: 200 });
  return (
    <CheckList
      legend={t.readers}
      hint={draft.readers.length === 0 ? t.allReaders : t.readerCount(draft.readers.length)}
      fault={faultOf(problem, 'reader_ids')}
      choices={(answer?.data ?? []).map(({ id, name }) => ({ value: id, word: name }))}
      chosen={draft.readers}
      onChosen={(readers) => onChange({ readers })}
    />
  );
}
