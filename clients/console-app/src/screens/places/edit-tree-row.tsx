import { TreeRow, type TreeRowProps } from '../../parts/tree/tree-row.tsx';
import { hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** A place of the tree that can be dragged into another, or moved by its button. */
export function EditTreeRow({
  isTarget,
  canMove,
  onMove,
  onPointerDown,
  ...tree
}: TreeRowProps & {
  /** What is dragged would go into it. */
  isTarget: boolean;
  canMove: boolean;
  onMove: () => void;
  onPointerDown: (event: PointerEvent) => void;
}) {
  const t = texts.value.placeTree;
  const { place } = tree.row;
  return (
    <TreeRow
      {...tree}
      kind={isTarget ? 'edit-row is-target' : 'edit-row'}
      link={{
        href: hrefWith({ open: place.id }),
        draggable: false,
        ...(canMove ? { onPointerDown } : {}),
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: of a row that is no element of a table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
      <div role="gridcell" class="tree-total">
        {canMove && (
          <button
            type="button"
            class="secondary small"
            tabIndex={-1}
            aria-label={t.moveOf(place.name)}
            onClick={onMove}
          >
            {t.moveTo}
          </button>
        )}
      </div>
    </TreeRow>
  );
}
