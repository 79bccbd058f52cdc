import type { Asset } from '../../api/asset.ts';
import type { Place } from '../../api/place.ts';
import { useRead } from '../../api/use-read.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { texts } from '../../texts/texts.ts';
import { EditItem } from './edit-item.tsx';
import type { ItemDraft, ItemKind } from './item-kind.ts';

/** `shown` is the row in the list: retired items are readable nowhere else. */
export function ItemSheet<Item extends Asset | Place, Draft extends ItemDraft>({
  kind,
  id,
  shown,
  onClose,
}: {
  kind: ItemKind<Item, Draft>;
  id: string;
  shown: Item | undefined;
  onClose: () => void;
}) {
  const isRetired = shown !== undefined && shown.deleted_at !== null;
  const { answer, problem, reload } = useRead<{ data: Item }>(isRetired ? null : `${kind.path}/${id}`);
  const item = isRetired ? shown : answer?.data;
  if (item === undefined) {
    return (
      <SideSheet title={kind.words().editTitle} onClose={onClose}>
        {problem === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={problem} onRetry={reload} />
        )}
      </SideSheet>
    );
  }
  return <EditItem kind={kind} item={item} reload={reload} onClose={onClose} />;
}
