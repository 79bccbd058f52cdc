import type { Place } from '../../api/types.ts';
import { Field } from '../../parts/field.tsx';
import { ItemPicker, type PickedItem } from '../../parts/item-picker.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { address, href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import {
  type FieldsProps,
  ITEM_FIELDS,
  type ItemDraft,
  type ItemKind,
  itemDraftOf,
  itemValuesOf,
} from '../items/item-kind.ts';
import { WatchLine } from './watch.tsx';

interface PlaceDraft extends ItemDraft {
  parent: PickedItem | null;
  gln: string;
  biz_step: string;
  disposition: string;
}

const TERMS = ['gln', 'biz_step', 'disposition'] as const;

function termsOf(place?: Place) {
  const { gln, biz_step, disposition } = place ?? {};
  return { gln: gln ?? '', biz_step: biz_step ?? '', disposition: disposition ?? '' };
}

export const PLACE_KIND: ItemKind<Place, PlaceDraft> = {
  path: '/locations',
  retired: { path: '/retired-locations', screen: 'place' },
  words: () => texts.value.places,
  draftOf: (place) => ({ ...itemDraftOf(place), parent: parentOf(place), ...termsOf(place) }),
  valuesOf: ({ parent, ...draft }) => ({
    ...itemValuesOf(draft),
    ...Object.fromEntries(TERMS.map((term) => [term, draft[term] === '' ? null : draft[term]])),
    // One that the address names is known by its key.
    ...(parent?.id === 0 ? { parent_external_key: parent.external_key } : { parent_id: parent?.id ?? null }),
  }),
  shownFields: [...ITEM_FIELDS, 'parent_id', ...TERMS],
  OwnFields: ParentField,
  MoreFields: TermFields,
  newDraft: (after) => ({
    ...itemDraftOf(undefined),
    parent: after === undefined ? within() : after.parent,
    ...termsOf(),
  }),
  Besides: ({ item }) => (
    <>
      <WatchLine place={item} />
      <AddWithin parentKey={item.external_key} />
    </>
  ),
  undoOf: ({ parent_id }, { parent }) => ((parent?.id ?? null) === parent_id ? undefined : { parent_id }),
};

function parentOf(place: Place | undefined): PickedItem | null {
  const { parent_id: id = null, parent_external_key: key = null } = place ?? {};
  return id === null || key === null ? null : { id, external_key: key };
}

/** `#/places?open=new&within=HALL` */
function within(): PickedItem | null {
  const key = address.value.query.get('within');
  return key === null ? null : { id: 0, external_key: key };
}

export function AddWithin({ parentKey }: { parentKey: string }) {
  return may('operator') ? (
    <a class="secondary" href={href('places', { open: 'new', within: parentKey })}>
      {texts.value.items.addWithin}
    </a>
  ) : null;
}

function ParentField({ draft, problem, isReadOnly, onDraft }: FieldsProps<PlaceDraft>) {
  const t = texts.value.places;
  return (
    <ItemPicker
      resource="locations"
      label={t.within}
      hint={t.withinHint}
      none={t.onTop}
      picked={draft.parent}
      isReadOnly={isReadOnly}
      fault={faultOf(problem, 'parent_id')}
      onPick={(parent) => onDraft({ ...draft, parent })}
    />
  );
}

/** Closed where there are none: few organizations exchange events. */
function TermFields({ draft, problem, isReadOnly, onDraft }: FieldsProps<PlaceDraft>) {
  const t = texts.value.places.terms;
  return (
    <details open={TERMS.some((term) => draft[term] !== '' || faultOf(problem, term) !== null)}>
      <summary>{t.title}</summary>
      {TERMS.map((term) => (
        <Field
          key={term}
          label={t[term]}
          hint={t.hints[term]}
          name={term}
          class="mono"
          maxLength={term === 'gln' ? 34 : 255}
          readOnly={isReadOnly}
          value={draft[term]}
          fault={faultOf(problem, term)}
          onValue={(value) => onDraft({ ...draft, [term]: value })}
        />
      ))}
    </details>
  );
}
