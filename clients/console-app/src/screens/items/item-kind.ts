import type { ComponentType } from 'preact';
import type { ApiError } from '../../api/api-error.ts';
import type { Asset, Place } from '../../api/types.ts';

/** Fields that assets and locations share are edited alike; the rest depends on the kind. */
export interface ItemKind<Item extends Asset | Place, Draft extends ItemDraft = ItemDraft> {
  /** In the API. */
  path: string;
  /** Path and page of a retired one; without it, only the list has it. */
  retired?: { path: string; screen: 'asset' | 'place' };
  words: () => ItemWords;
  draftOf: (item?: Item) => Draft;
  /** The fields that a request writes. The key has its own request. */
  valuesOf: (draft: Draft) => Record<string, unknown>;
  /** Names of the fields that show their own faults. */
  shownFields: readonly string[];
  /** Between the key and the description. */
  OwnFields?: ComponentType<FieldsProps<Draft>>;
  /** Below the description. */
  MoreFields?: ComponentType<FieldsProps<Draft>>;
  /** Below its tags. */
  Besides?: ComponentType<{ item: Item }>;
  /** What a new one begins with; after another one, if that is given. */
  newDraft?: (after?: Draft) => Draft;
  /** The values that undo a change, if undo is offered. */
  undoOf?: (before: Item, draft: Draft) => Record<string, unknown> | undefined;
}

/** The editable values of an item, as the fields hold them. */
export interface ItemDraft {
  name: string;
  external_key: string;
  description: string;
  is_active: boolean;
}

/** An item as read, and its fields as edited. */
export interface Edit<Item, Draft> {
  item: Item;
  draft: Draft;
  /** Fields edited here that somebody else has changed: both values are shown. */
  theirs: Partial<Draft>;
}

/** The same edit after somebody else changed the item: edited fields stay, all others are theirs. */
export function rebased<Item extends Asset | Place, Draft extends ItemDraft>(
  kind: Pick<ItemKind<Item, Draft>, 'draftOf'>,
  { item, draft, theirs }: Edit<Item, Draft>,
  newer: Item,
): Edit<Item, Draft> {
  const [before, now] = [kind.draftOf(item), kind.draftOf(newer)];
  const edit: Edit<Item, Draft> = { item: newer, draft: { ...now }, theirs: {} };
  for (const field of Object.keys(now) as (keyof Draft)[]) {
    if (isSame(draft[field], before[field]) && !(field in theirs)) {
      continue;
    }
    edit.draft[field] = draft[field];
    const isTheirs = field in theirs || !isSame(now[field], before[field]);
    if (isTheirs && !isSame(now[field], draft[field])) {
      edit.theirs[field] = now[field];
    }
  }
  return edit;
}

export function isChangedIn<Item extends Asset | Place, Draft extends ItemDraft>(
  kind: Pick<ItemKind<Item, Draft>, 'draftOf'>,
  { item, draft }: Edit<Item, Draft>,
): boolean {
  const before = kind.draftOf(item);
  return (Object.keys(before) as (keyof Draft)[]).some((field) => !isSame(draft[field], before[field]));
}

/** A picked item is the same by its key, and metadata by what is shown of it, however much of it is known. */
function isSame(one: unknown, other: unknown): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return JSON.stringify(value, ['name', 'text']);
  }
  return typeof value === 'object' && value !== null && 'external_key' in value ? value.external_key : value;
}

export interface FieldsProps<Draft> {
  draft: Draft;
  problem: ApiError | null;
  isReadOnly: boolean;
  onDraft: (draft: Draft) => void;
}

export interface ItemWords {
  newTitle: string;
  editTitle: string;
  changedMeanwhile: string;
  /** Where none is attached yet. */
  noTags: string;
  /** Of the link to its page. */
  open?: string;
  retire: string;
  retireTitle: (name: string) => string;
  retireBody: string;
  retiredDone: (name: string) => string;
}

export const ITEM_FIELDS = ['name', 'external_key', 'description'];

export function itemDraftOf(item: Asset | Place | undefined): ItemDraft {
  return {
    name: item?.name ?? '',
    external_key: item?.external_key ?? '',
    description: item?.description ?? '',
    is_active: item?.is_active ?? true,
  };
}

export function itemValuesOf({ name, description, is_active }: ItemDraft): Record<string, unknown> {
  return { name, description: description === '' ? null : description, is_active };
}
