import { useState } from 'preact/hooks';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { ItemPicker, type PickedItem } from '../../parts/item-picker.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { texts } from '../../texts/texts.ts';

/** Moves a place without dragging. */
export function MovePlaceSheet({
  model,
  place,
  onMove,
  onClose,
}: {
  model: TreeModel;
  place: Place;
  onMove: (into: Place | null) => void;
  onClose: () => void;
}) {
  const t = texts.value.placeTree;
  const { parent } = place;
  const [picked, setPicked] = useState<PickedItem | null>(
    parent === null ? null : { id: parent.id, external_key: parent.key, name: parent.name },
  );
  return (
    <SideSheet
      title={t.moveTitle(place.name)}
      sub={<span class="mono">{place.key}</span>}
      onClose={onClose}
      foot={
        <button type="submit" form="move-place" class="primary">
          {t.move}
        </button>
      }
    >
      <form
        id="move-place"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onMove(picked === null ? null : model.place(picked.id));
          onClose();
        }}
      >
        <ItemPicker
          resource="locations"
          label={texts.value.places.within}
          hint={texts.value.places.withinHint}
          none={texts.value.places.onTop}
          picked={picked}
          onPick={setPicked}
        />
      </form>
    </SideSheet>
  );
}
