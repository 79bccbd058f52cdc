import type { ApiError } from '../../../api/api-error.ts';
import { EVENT_TYPES, type EventType, type Webhook } from '../../../api/types.ts';
import { Field } from '../../../parts/field.tsx';
import { ItemPicker } from '../../../parts/item-picker.tsx';
import { faultOf } from '../../../parts/problem-text.ts';
import { texts } from '../../../texts/texts.ts';

export interface WebhookDraft {
  name: string;
  url: string;
  types: readonly EventType[];
  location_external_key: string | null;
  /** As it is typed. */
  settle_seconds: string;
}

export const SHOWN_FIELDS = ['name', 'url', 'types', 'location_external_key', 'settle_seconds'];

export const NEW_DRAFT: WebhookDraft = {
  ...{ name: '', url: '', types: EVENT_TYPES, location_external_key: null },
  settle_seconds: '0',
};

export function draftOf(webhook: Webhook): WebhookDraft {
  const { name, url, types, location_external_key, settle_seconds: seconds } = webhook;
  return { name, url, types: types ?? EVENT_TYPES, location_external_key, settle_seconds: String(seconds) };
}

/** As the API takes it: no types means all types. */
export function bodyOf({ types, settle_seconds: seconds, ...draft }: WebhookDraft) {
  return {
    ...{ ...draft, settle_seconds: Number(seconds) },
    types: types.length === EVENT_TYPES.length ? null : types,
  };
}

export function WebhookFields({
  draft,
  problem,
  onDraft,
}: {
  draft: WebhookDraft;
  problem: ApiError | null;
  onDraft: (draft: WebhookDraft) => void;
}) {
  const t = texts.value.webhooks;
  const { location_external_key: key, types } = draft;
  return (
    <>
      <Field
        label={t.name}
        name="name"
        required
        maxLength={255}
        value={draft.name}
        fault={faultOf(problem, 'name')}
        onValue={(name) => onDraft({ ...draft, name })}
      />
      <Field
        label={t.url}
        hint={t.urlHint}
        type="url"
        name="url"
        class="mono"
        required
        maxLength={2048}
        value={draft.url}
        fault={faultOf(problem, 'url')}
        onValue={(url) => onDraft({ ...draft, url })}
      />
      <fieldset class="checks">
        <legend>{t.types}</legend>
        {EVENT_TYPES.map((type) => (
          <label class="check" key={type}>
            <input
              type="checkbox"
              checked={types.includes(type)}
              onChange={(event) => {
                const isChosen = event.currentTarget.checked;
                const chosen = EVENT_TYPES.filter((each) =>
                  each === type ? isChosen : types.includes(each),
                );
                onDraft({ ...draft, types: chosen });
              }}
            />
            <span>{t.typeWords[type]}</span>
          </label>
        ))}
        {faultOf(problem, 'types') !== null && <p class="fault">{faultOf(problem, 'types')}</p>}
      </fieldset>
      <ItemPicker
        resource="locations"
        label={t.place}
        hint={t.placeHint}
        none={t.everywhere}
        fault={faultOf(problem, 'location_external_key')}
        picked={key === null ? null : { id: 0, external_key: key }}
        onPick={(place) => onDraft({ ...draft, location_external_key: place?.external_key ?? null })}
      />
      <Field
        label={t.settle}
        hint={t.settleHint}
        type="number"
        name="settle_seconds"
        min={0}
        max={60}
        required
        value={draft.settle_seconds}
        fault={faultOf(problem, 'settle_seconds')}
        onValue={(seconds) => onDraft({ ...draft, settle_seconds: seconds })}
      />
    </>
  );
}
