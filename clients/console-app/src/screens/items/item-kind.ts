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
