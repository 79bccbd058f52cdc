import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../api/api-error.ts';
import type { Data, Reader, Row, RuleReading } from '../../api/types.ts';
import { RULE_KINDS } from '../../api/types.ts';
import { useNames } from '../../api/use-names.ts';
import { useRead } from '../../api/use-read.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { DecimalField, Field, Select, TextArea } from '../../parts/field.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { texts } from '../../texts/texts.ts';
import { UnwatchedNote } from '../places/watch.tsx';
import { ASKED, type DraftFields, newDraft, type RuleDraft, settingsOf } from './rule-draft.ts';
import { ruleWords } from './rule-words.ts';

const SHOWN = [
  ...['kind', 'name', 'after_seconds', 'then_seconds', 'location_external_key', 'hours', 'time_zone'],
  ...['reading', 'above', 'below', 'hysteresis'],
  ...['asset_external_keys', 'within_location_external_key', 'metadata', 'reader_ids', 'mail_to'],
];

/** A rule to make or to change; buttons are the children. */
export function RuleForm({
  draft,
  problem,
  isMade = false,
  onDraft,
  onSubmit,
  theirs,
  children,
}: {
  draft: RuleDraft;
  problem: ApiError | null;
  /** The kind of an existing rule cannot change. */
  isMade?: boolean;
  onDraft: (draft: RuleDraft) => void;
  onSubmit: () => void;
  /** What somebody else changed meanwhile. */
  theirs?: ComponentChildren;
  children: ComponentChildren;
}) {
  const t = texts.value.rules;
  const change = (changed: Partial<RuleDraft>) => onDraft({ ...draft, ...changed });
  const fields: DraftFields = { draft, problem, onChange: change };
  return (
    <form
      class="card stack rule-form"
      aria-label={t.form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {!isMade && (
        <Select
          label={t.kind}
          hint={t.kindHints[draft.kind]}
          options={RULE_KINDS.map((value) => ({ value, word: t.kinds[value] }))}
          value={draft.kind}
          onValue={(kind) => {
            const { reading, side } = newDraft(kind);
            change({ kind, reading, side });
          }}
        />
      )}
      <PlaceField {...fields} />
      <BoundFields {...fields} />
      <TimeFields {...fields} />
      <HoursField {...fields} />
      <InWords draft={draft} />
      <AboutFields {...fields} />
      <MailFields {...fields} />
      <Field
        label={t.name}
        hint={t.nameHint}
        maxLength={255}
        value={draft.name}
        fault={faultOf(problem, 'name')}
        onValue={(name) => change({ name })}
      />
      {problem !== null && <ProblemNote problem={problem} shown={SHOWN} />}
      {theirs}
      <div class="buttons">{children}</div>
    </form>
  );
}

/** The place that assets must be at, or must not. */
function PlaceField({ draft, problem, onChange }: DraftFields) {
  const t = texts.value.rules;
  return ASKED[draft.kind].place ? (
    <ItemPicker
      resource="locations"
      label={t.place}
      hint={t.placeHint}
      none={t.choosePlace}
      fault={faultOf(problem, 'location_external_key')}
      picked={draft.place === null ? null : { id: 0, external_key: draft.place }}
      onPick={(place) => onChange({ place: place?.external_key ?? null })}
    />
  ) : null;
}

/** What is measured, and what of it is too much or too little. */
function BoundFields({ draft, problem, onChange }: DraftFields) {
  const t = texts.value.rules;
  const { kinds, units } = texts.value.readings;
  const unit = units[draft.reading];
  const { readings } = ASKED[draft.kind];
  return readings === undefined ? null : (
    <>
      <Select
        label={t.reading}
        options={readings.map((value) => ({ value, word: kinds[value] }))}
        value={draft.reading}
        fault={faultOf(problem, 'reading')}
        onValue={(reading) => onChange({ reading })}
      />
      {draft.kind === 'reading' && (
        <Select
          label={t.side}
          options={(['above', 'below'] as const).map((value) => ({ value, word: t.sides[value] }))}
          value={draft.side}
          onValue={(side) => onChange({ side })}
        />
      )}
      <DecimalField
        label={t.bound(unit)}
        range={RANGE}
        required
        value={draft.bound}
        fault={faultOf(problem, 'above') ?? faultOf(problem, 'below')}
        onValue={(bound) => onChange({ bound })}
      />
      <DecimalField
        label={t.hysteresis(unit)}
        hint={t.hysteresisHint(HYSTERESES[draft.reading])}
        range={[0, RANGE[1]]}
        value={draft.hysteresis}
        fault={faultOf(problem, 'hysteresis')}
        onValue={(hysteresis) => onChange({ hysteresis })}
      />
    </>
  );
}

/** Beyond what any kind of reading can be. */
const RANGE = [-1_000, 1_000] as const;

/** Of rules that say none. */
const HYSTERESES: Readonly<Record<RuleReading, number>> = {
  ...{ temperature_c: 0.5, humidity_percent: 2, battery_percent: 5, battery_volts: 0.1 },
};

/** For how long it has to be so, until the first alert and until the second. */
function TimeFields({ draft, problem, onChange }: DraftFields) {
  const t = texts.value.rules;
  const { after, thenAfter } = ASKED[draft.kind];
  const then = draft.kind === 'dwell' ? 'dwell' : 'overdue';
  return (
    <>
      {after !== null && (
        <DurationField
          label={t.after[draft.kind]}
          fault={faultOf(problem, 'after_seconds')}
          required={after === 'must'}
          hint={after === 'may' ? t.atOnce : t.longestTime}
          typed={draft.after}
          onTyped={(typed) => onChange({ after: typed })}
        />
      )}
      {thenAfter && (
        <DurationField
          label={t.thenAfter[then]}
          hint={t.thenAfterHint[then]}
          fault={faultOf(problem, 'then_seconds')}
          typed={draft.thenAfter}
          onTyped={(typed) => onChange({ thenAfter: typed })}
        />
      )}
    </>
  );
}

/** Working hours. */
function HoursField({ draft, problem, onChange }: DraftFields) {
  const t = texts.value.rules;
  return draft.kind === 'must_be' ? (
    <Field
      label={t.hours}
      hint={t.hoursHint(draft.zone)}
      placeholder={t.hoursExample}
      maxLength={255}
      value={draft.hours}
      fault={faultOf(problem, 'hours') ?? faultOf(problem, 'time_zone')}
      onValue={(hours) => onChange({ hours })}
    />
  ) : null;
}

/** The rule so far, as a sentence, and where it can raise nothing. */
function InWords({ draft }: Pick<DraftFields, 'draft'>) {
  const { kind, place, side, within } = draft;
  const names = useNames('locations', [place]);
  return (
    <>
      <p class="in-words">
        {ruleWords(settingsOf(draft), place === null ? null : (names.get(place) ?? place), side)}
      </p>
      {kind === 'overdue' && <UnwatchedNote within={within} />}
      {ASKED[kind].readings !== undefined && <UnmeasuredNote reading={draft.reading} />}
    </>
  );
}

/** Where no tag has ever said what a rule is about. */
function UnmeasuredNote({ reading }: { reading: RuleReading }) {
  const { answer } = useRead<{ data: Data<'GET /watches/measured'> }>('/watches/measured');
  return answer === undefined || answer.data.includes(reading) ? null : (
    <p class="note note-problem" role="status">
      {texts.value.rules.unmeasured(texts.value.readings.kinds[reading])}
    </p>
  );
}

/** The assets, or readers, that a rule is about. */
function AboutFields({ draft, problem, onChange }: DraftFields) {
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

type Member = Row<'GET /users'>;

/** Which members get an e-mail. */
function MailFields({ draft, problem, onChange }: DraftFields) {
  const t = texts.value.rules;
  const { answer } = useRead<{ data: readonly Member[] }>('/users', { limit: 200 });
  return (
    <CheckList
      legend={t.mail}
      hint={t.mailHint}
      fault={faultOf(problem, 'mail_to')}
      choices={(answer?.data ?? []).map(({ email, name }) => ({ value: email, word: `${name} · ${email}` }))}
      chosen={draft.mailTo}
      onChosen={(mailTo) => onChange({ mailTo })}
    />
  );
}

/** Checkboxes for a choice of many. Chosen ones that no longer exist stay in the list. */
function CheckList<Value extends string | number>({
  legend,
  hint,
  fault,
  choices,
  chosen,
  onChosen,
}: {
  legend: string;
  hint: string;
  fault: string | null;
  choices: readonly { value: Value; word: string }[];
  chosen: readonly Value[];
  onChosen: (chosen: Value[]) => void;
}) {
  const known = new Set(choices.map(({ value }) => value));
  const all = [
    ...choices,
    ...chosen.filter((value) => !known.has(value)).map((value) => ({ value, word: String(value) })),
  ];
  return (
    <fieldset class="checks rule-checks">
      <legend>{legend}</legend>
      <div class="rule-check-list">
        {all.map(({ value, word }) => (
          <label class="check" key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={({ currentTarget: { checked } }) =>
                onChosen(checked ? [...chosen, value] : chosen.filter((each) => each !== value))
              }
            />
            <span>{word}</span>
          </label>
        ))}
      </div>
      <p class={fault === null ? 'hint' : 'fault'}>{fault ?? hint}</p>
    </fieldset>
  );
}
