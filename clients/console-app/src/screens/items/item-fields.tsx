import type { Asset } from '../../api/asset.ts';
import type { Place } from '../../api/place.ts';
import { Field, TextArea } from '../../parts/field.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { texts } from '../../texts/texts.ts';
import type { FieldsProps, ItemDraft, ItemKind } from './item-kind.ts';

export function ItemFields<Item extends Asset | Place, Draft extends ItemDraft>({
  kind: { OwnFields },
  keyHint,
  ...props
}: FieldsProps<Draft> & { kind: ItemKind<Item, Draft>; keyHint: string | undefined }) {
  const t = texts.value.items;
  const { draft, problem, isReadOnly, onDraft } = props;
  return (
    <>
      <Field
        label={t.name}
        name="name"
        required
        maxLength={255}
        readOnly={isReadOnly}
        value={draft.name}
        fault={faultOf(problem, 'name')}
        onValue={(name) => onDraft({ ...draft, name })}
      />
      <Field
        label={t.key}
        name="external_key"
        class="mono"
        maxLength={255}
        readOnly={isReadOnly}
        hint={keyHint}
        value={draft.external_key}
        fault={faultOf(problem, 'external_key')}
        onValue={(external_key) => onDraft({ ...draft, external_key })}
      />
      {OwnFields !== undefined && <OwnFields {...props} />}
      <TextArea
        label={t.description}
        name="description"
        rows={3}
        maxLength={1024}
        readOnly={isReadOnly}
        value={draft.description}
        fault={faultOf(problem, 'description')}
        onValue={(description) => onDraft({ ...draft, description })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={draft.is_active}
          disabled={isReadOnly}
          onChange={(event) => onDraft({ ...draft, is_active: event.currentTarget.checked })}
        />
        {t.isActive}
      </label>
    </>
  );
}
