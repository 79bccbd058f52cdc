import { useLayoutEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { useNames } from '../../api/use-names.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { toast } from '../../parts/toast.tsx';
import { go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { settingWords } from './setting-words.ts';
import { lastRange, queryOf, settingOf, usualWanted, valuesOf, type Wanted } from './wanted.ts';

const FIELDS = ['window_seconds', 'min_seconds', 'margin_db', 'from', 'to'];

/** What to try, which goes into the address; and what was found good is used from here. */
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
  const t = texts.value.smoothing;
  const [wanted, setWanted] = useState(tried ?? usualWanted());
  const key = JSON.stringify(tried);
  useLayoutEffect(() => setWanted(tried ?? usualWanted()), [key]);
  const using = useAction();
  const fault = using.problem ?? problem;
  const change = (changed: Partial<Wanted>) => setWanted({ ...wanted, ...changed });
  const names = useNames('locations', [wanted.place]);
  const place = wanted.place === null ? null : (names.get(wanted.place) ?? wanted.place);
  const words = settingWords(valuesOf(wanted), place);
  const attempt = () => {
    using.clear();
    const to = hrefWith(queryOf(wanted));
    if (JSON.stringify(wanted) === key) {
      onAgain();
    } else {
      go(to);
    }
  };
  const use = async () => {
    const where = place ?? t.everywhere;
    if (await confirm({ title: t.useTitle(where), body: t.useBody(words), action: t.use })) {
      if (await using.run(() => post('/smoothing', settingOf(wanted)))) {
        toast(t.used(where));
      }
    }
  };
  return (
    <form
      class="card stack smoothing-form"
      aria-labelledby="smoothing-try"
      onSubmit={(event) => {
        event.preventDefault();
        attempt();
      }}
    >
      <h2 id="smoothing-try">{t.tryTitle}</h2>
      <ItemPicker
        resource="locations"
        label={t.place}
        none={t.allPlaces}
        picked={
          wanted.place === null
            ? null
            : { id: 0, external_key: wanted.place, ...(place === null ? {} : { name: place }) }
        }
        onPick={(picked) =>
          change({
            place: picked?.external_key ?? null,
            ...(picked === null && wanted.mode === 'inherit' ? { mode: 'on' as const } : {}),
          })
        }
      />
      <Select
        label={t.counts}
        options={[
          { value: 'on', word: t.modes.on },
          { value: 'off', word: t.modes.off },
          ...(wanted.place === null ? [] : [{ value: 'inherit' as const, word: t.modes.inherit }]),
        ]}
        value={wanted.mode}
        onValue={(mode) => change({ mode })}
      />
      {wanted.mode === 'on' && <Numbers {...{ wanted, fault }} onChange={change} />}
      <p class="in-words">{words}</p>
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
        <button type="button" class="secondary" disabled={using.isBusy} onClick={() => void use()}>
          {t.use}
        </button>
      </div>
    </form>
  );
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
  const t = texts.value.smoothing;
  return (
    <div class="smoothing-numbers">
      <Field
        label={t.window}
        type="number"
        min={1}
        max={600}
        required
        value={wanted.window}
        fault={faultOf(fault, 'window_seconds')}
        onValue={(window) => onChange({ window })}
      />
      <Field
        label={t.minimum}
        type="number"
        min={1}
        max={600}
        value={wanted.minimum}
        fault={faultOf(fault, 'min_seconds')}
        onValue={(minimum) => onChange({ minimum })}
      />
      <Field
        label={t.margin}
        type="number"
        min={0}
        max={100}
        step="any"
        value={wanted.margin}
        fault={faultOf(fault, 'margin_db')}
        onValue={(margin) => onChange({ margin })}
      />
    </div>
  );
}

const HOUR = 3_600_000;

const SPANS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR } as const;

/** From when to when, in the viewer's zone. */
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
  const t = texts.value.smoothing;
  return (
    <fieldset class="smoothing-range">
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
      <div class="smoothing-times">
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

/** As such fields have it: the local time without its zone. */
function localText(at: number): string {
  return Number.isFinite(at)
    ? new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    : '';
}
