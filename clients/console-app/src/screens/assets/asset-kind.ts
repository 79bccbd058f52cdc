import type { Asset } from '../../api/asset.ts';
import { texts } from '../../texts/texts.ts';
import { ITEM_FIELDS, type ItemKind, itemDraftOf, itemValuesOf } from '../items/item-kind.ts';

export const ASSET_KIND: ItemKind<Asset> = {
  path: '/assets',
  words: () => texts.value.assets,
  draftOf: itemDraftOf,
  valuesOf: itemValuesOf,
  shownFields: ITEM_FIELDS,
};
