import type { ApiError } from '../../api/api-error.ts';
import { Field } from '../../parts/field.tsx';
import { ItemPicker, type PickedItem } from '../../parts/item-picker.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { texts } from '../../texts/texts.ts';

export interface PlanDraft {
  name: string;
  location: PickedItem | null;
}

export const SHOWN_FIELDS = ['name', 'location_id'];

/** A plan's name and location. */
export function PlanFields({
  draft,
  problem,
  onDraft,
}: {
  draft: PlanDraft;
  problem: ApiError | null;
  onDraft: (draft: PlanDraft) => void;
}) {
  const t = texts.value.plan;
  return (
    <>
      <Field
        label={t.name}
        value={draft.name}
        required
        maxLength={255}
        fault={faultOf(problem, 'name')}
        onValue={(name) => onDraft({ ...draft, name })}
      />
      <ItemPicker
        resource="locations"
        label={t.location}
        hint={t.locationHint}
        none={t.noLocation}
        fault={faultOf(problem, 'location_id')}
        picked={draft.location}
        onPick={(location) => onDraft({ ...draft, location })}
      />
    </>
  );
}
