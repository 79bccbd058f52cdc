import type { Asset } from '../../api/asset.ts';
import type { Place } from '../../api/place.ts';
import { address, go, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import type { ItemDraft, ItemKind } from './item-kind.ts';
import { ItemSheet } from './item-sheet.tsx';
import { NewItemSheet } from './new-item-sheet.tsx';

/** The sheet that the address opens beside a list: `?open=17`, or `?open=new`. */
export function OpenItem<Item extends Asset | Place, Draft extends ItemDraft>({
  kind,
  rows,
}: {
  kind: ItemKind<Item, Draft>;
  rows: readonly Item[];
}) {
  const open = address.value.query.get('open');
  const close = () => go(hrefWith({ open: null }));
  if (open === null) {
    return null;
  }
  if (open === 'new') {
    // A link may come from somebody who may do more.
    return may('operator') ? <NewItemSheet kind={kind} onClose={close} /> : null;
  }
  const shown = rows.find(({ id }) => String(id) === open);
  return <ItemSheet key={open} kind={kind} id={open} shown={shown} onClose={close} />;
}
