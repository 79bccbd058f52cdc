import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../api/api-error.ts';
import { RULE_KINDS } from '../../api/rule.ts';
import { useNames } from '../../api/use-names.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { texts } from '../../texts/texts.ts';
import { AboutFields } from './about-fields.tsx';
import { MailFields } from './mail-fields.tsx';
import { ASKED, type RuleDraft, settingsOf } from './rule-draft.ts';
import { ruleWords } from './rule-words.ts';

const SHOWN = [
  ...['kind', 'name', 'after_seconds', 'then_seconds', 'location_external_key', 'hours', 'time_zone'],
  ...['asset_external_keys', 'within_location_external_key', 'metadata', 'reader_ids', 'mail_to'],
];

/** A rule to make or to change; buttons are the children. */
export function RuleForm({
  draft,
  problem,
  isMade = false,
  onDraft,
  onSubmit,
  children,
}: {
  draft: RuleDraft;
  problem: ApiError | null;
  /** Its kind stays as it is. */
  isMade?: boolean;
  onDraft: (draft: RuleDraft) => void;
  onSubmit: () => void;
  children: ComponentChildren;
}) {
  const t = texts.value.rules;
  const asked = ASKED[draft.kind];
  const names = useNames('locations', [draft.place]);
  const change = (changed: Partial<RuleDraft>) => onDraft({ ...draft, ...changed });
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
          onValue={(kind) => change({ kind })}
        />
      )}
      {asked.place && (
        <ItemPicker
          resource="locations"
          label={t.place}
          hint={t.placeHint}
          none={t.choosePlace}
          fault={faultOf(problem, 'location_external_key')}
          picked={draft.place === null ? null : { id: 0, external_key: draft.place }}
          onPick={(place) => change({ place: place?.external_key ?? null })}
        />
      )}
      {asked.after !== null && (
        <DurationField
          label={t.after[draft.kind]}
          fault={faultOf(problem, 'after_seconds')}
          required={asked.after === 'must'}
          hint={asked.after === 'may' ? t.atOnce : t.longestTime}
          typed={draft.after}
          onTyped={(after) => change({ after })}
        />
      )}
      {asked.thenAfter && (
        <DurationField
          label={t.thenAfter[draft.kind === 'dwell' ? 'dwell' : 'overdue']}
          hint={t.thenAfterHint[draft.kind === 'dwell' ? 'dwell' : 'overdue']}
          fault={faultOf(problem, 'then_seconds')}
          typed={draft.thenAfter}
          onTyped={(thenAfter) => change({ thenAfter })}
        />
      )}
      {draft.kind === 'must_be' && (
        <Field
          label={t.hours}
          hint={t.hoursHint(draft.zone)}
          placeholder="Mon-Fri 07:00-18:00"
          maxLength={255}
          value={draft.hours}
          fault={faultOf(problem, 'hours') ?? faultOf(problem, 'time_zone')}
          onValue={(hours) => change({ hours })}
        />
      )}
      <p class="in-words">
        {ruleWords(settingsOf(draft), draft.place === null ? null : (names.get(draft.place) ?? draft.place))}
      </p>
      <AboutFields draft={draft} problem={problem} onChange={change} />
      <MailFields draft={draft} problem={problem} onChange={change} />
      <Field
        label={t.name}
        hint={t.nameHint}
        maxLength={255}
        value={draft.name}
        fault={faultOf(problem, 'name')}
        onValue={(name) => change({ name })}
      />
      {problem !== null && <ProblemNote problem={problem} shown={SHOWN} />}
      <div class="buttons">{children}</div>
    </form>
  );
}
