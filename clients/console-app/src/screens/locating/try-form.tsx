import { useLayoutEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { post } from '../../api/send.ts';
import type { LocatingValues } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useNames } from '../../api/use-names.ts';
import { confirm } from '../../parts/confirm.tsx';
import { DecimalField, Field, localText, Select } from '../../parts/field.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { toast } from '../../parts/toast.tsx';
import { go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import {
  asksForProof,
  lastRange,
  queryOf,
  settingOf,
  timeOf,
  usualWanted,
  valuesOf,
  type Wanted,
} from './wanted.ts';

const FIELDS = ['procedure', 'certainty', 'tag_dbm', 'tag_kinds', 'from', 'to'];

/** The fields of a trial, kept in the address; a good setting is used from here. */
export function TryForm({
  tried,
  problem,
  onAgain,
}: {
  /** Null if nothing is. */
  tried: Wanted | null;
  problem: ApiError | null;
  /** The same once more. */
  onAgain: () => void;
}) {
  const t = texts.value.locating;
  const [wanted, setWanted] = useState(tried ?? usualWanted());
  const key = JSON.stringify(tried);
  useLayoutEffect(() => setWanted(tried ?? usualWanted()), [key]);
  const using = useAction();
  const fault = using.problem ?? problem;
  const change = (changed: Partial<Wanted>) => setWanted({ ...wanted, ...changed });
  const names = useNames('locations', [wanted.place]);
  const assetNames = useNames('assets', [wanted.asset]);
  const place = wanted.place === null ? null : (names.get(wanted.place) ?? wanted.place);
  const words = settingWords(valuesOf(wanted));
  const attempt = () => {
    using.clear();
    const to = hrefWith(queryOf(wanted));
    if (JSON.stringify(wanted) === key) {
      onAgain();
    } else {
      go(to);
    }
  };
  return (
    <form
      class="card stack locating-form"
      aria-labelledby="locating-try"
      onSubmit={(event) => {
        event.preventDefault();
        attempt();
      }}
    >
      <h2 id="locating-try">{t.tryTitle}</h2>
      <ItemPicker
        resource="locations"
        label={t.place}
        none={t.allPlaces}
        picked={wanted.place === null ? null : keyed(wanted.place, place ?? undefined)}
        onPick={(picked) =>
          change({
            place: picked?.external_key ?? null,
            ...(picked === null && wanted.procedure === 'inherit' ? { procedure: 'strength' as const } : {}),
          })
        }
      />
      <Select
        label={t.procedure}
        options={[
          { value: 'every', word: t.procedures.every },
          { value: 'strength', word: t.procedures.strength },
          { value: 'position', word: t.procedures.position },
          ...(wanted.place === null ? [] : [{ value: 'inherit' as const, word: t.procedures.inherit }]),
        ]}
        value={wanted.procedure}
        fault={faultOf(fault, 'procedure')}
        onValue={(procedure) => change({ procedure })}
      />
      {asksForProof(wanted.procedure) && <Numbers {...{ wanted, fault }} onChange={change} />}
      <p class="in-words">{words}</p>
      <ItemPicker
        resource="assets"
        label={t.oneAsset}
        none={t.allAssets}
        picked={wanted.asset === null ? null : keyed(wanted.asset, assetNames.get(wanted.asset))}
        onPick={(picked) => change({ asset: picked?.external_key ?? null })}
      />
      <RangeFields
        from={wanted.from}
        to={wanted.to}
        faults={{ from: faultOf(fault, 'from'), to: faultOf(fault, 'to') }}
        onRange={change}
      />
      {fault !== null && <ProblemNote problem={fault} shown={FIELDS} />}
      <div class="buttons">
        <button type="submit" class="primary">
          {t.try}
        </button>
        <UseButtons {...{ wanted, words, using }} where={place ?? t.everywhere} />
      </div>
    </form>
  );
}

/** Applies the setting after confirmation: from now on, or from the beginning of the range. */
function UseButtons({
  wanted,
  where,
  words,
  using,
}: {
  wanted: Wanted;
  where: string;
  words: string;
  using: ReturnType<typeof useAction>;
}) {
  const t = texts.value.locating;
  const use = async (from: string | null, asked: { title: string; body: string; action: string }) => {
    if (await confirm(asked)) {
      if (await using.run(() => post('/locating', { ...settingOf(wanted), from }))) {
        toast(from === null ? t.used(where) : t.usedSince(where));
      }
    }
  };
  const now = { title: t.useTitle(where), body: t.useBody(words), action: t.use };
  const since = { title: t.useSinceTitle(where), body: t.useSinceBody(words), action: t.useSince };
  return (
    <>
      <button type="button" class="secondary" disabled={using.isBusy} onClick={() => void use(null, now)}>
        {t.use}
      </button>
      <button
        type="button"
        class="secondary"
        disabled={using.isBusy}
        onClick={() => void use(timeOf(wanted.from), since)}
      >
        {t.useSince}
      </button>
    </>
  );
}

/** As pickers have what is picked. */
function keyed(key: string, name: string | undefined) {
  return { id: 0, external_key: key, ...(name === undefined ? {} : { name }) };
}

function Numbers({
  wanted,
  fault,
  onChange,
}: {
  wanted: Wanted;
  fault: ApiError | null;
  onChange: (changed: Partial<Wanted>) => void;
}) {
  const t = texts.value.locating;
  return (
    <div class="locating-numbers">
      <DecimalField
        label={t.certainty}
        hint={t.certaintyHint}
        range={[0.1, 10]}
        required
        value={wanted.certainty}
        fault={faultOf(fault, 'certainty')}
        onValue={(certainty) => onChange({ certainty })}
      />
      {wanted.procedure === 'position' && (
        <DecimalField
          label={t.tagDbm}
          hint={t.tagDbmHint}
          range={[-120, 20]}
          placeholder={String(USUAL_TAG_DBM)}
          value={wanted.tagDbm}
          fault={faultOf(fault, 'tag_dbm')}
          onValue={(tagDbm) => onChange({ tagDbm })}
        />
      )}
      {wanted.procedure === 'position' && (
        <Field
          label={t.tagKinds}
          hint={t.tagKindsHint}
          placeholder="AC233F=-65, DD33=-70.5"
          value={wanted.tagKinds}
          fault={faultOf(fault, 'tag_kinds')}
          onValue={(tagKinds) => onChange({ tagKinds })}
        />
      )}
    </div>
  );
}

const HOUR = 3_600_000;

const SPANS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR } as const;

/** The range, in the viewer's zone. */
function RangeFields({
  from,
  to,
  faults,
  onRange,
}: {
  from: number;
  to: number;
  faults: { from: string | null; to: string | null };
  onRange: (range: { from: number; to: number }) => void;
}) {
  const t = texts.value.locating;
  return (
    <fieldset class="locating-range">
      <legend>{t.range}</legend>
      <div class="buttons">
        {(['hour', 'day', 'week'] as const).map((span) => (
          <button
            key={span}
            type="button"
            class="small secondary"
            onClick={() => onRange(lastRange(SPANS[span]))}
          >
            {t.spans[span]}
          </button>
        ))}
      </div>
      <div class="locating-times">
        <Field
          label={t.from}
          type="datetime-local"
          step={60}
          required
          value={localText(from)}
          fault={faults.from}
          onValue={(text) => onRange({ from: Date.parse(text), to })}
        />
        <Field
          label={t.to}
          type="datetime-local"
          step={60}
          required
          value={localText(to)}
          fault={faults.to}
          onValue={(text) => onRange({ from, to: Date.parse(text) })}
        />
      </div>
    </fieldset>
  );
}

/** A setting as a sentence. */
export function settingWords({
  procedure,
  certainty,
  tag_dbm: tagDbm,
  tag_kinds: kinds,
}: LocatingValues): string {
  const t = texts.value.locating;
  switch (procedure) {
    case 'every':
      return t.everyRead;
    case 'inherit':
      return t.asAround;
    case 'strength':
      return t.byStrength(certainty ?? 1);
    case 'position':
      return t.byPosition(certainty ?? 1, tagDbm ?? USUAL_TAG_DBM) + (kinds === null ? '' : ` (${kinds})`);
  }
}

/** Strength of a tag at 1 m if nothing else is set. */
const USUAL_TAG_DBM = -55;
