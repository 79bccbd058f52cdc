import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { type Fold, undoableIn } from '../queue/folded.ts';
import { texts } from '../texts/texts.ts';
import { titleOf } from './titles.ts';

/** Takes a scan back, with its repeats: one of them alone would change nothing. */
export function UndoButton({ fold, isPlain = false }: { fold: Fold; isPlain?: boolean }) {
  const { undoing } = useApp();
  const scans = undoableIn(fold);
  if (scans.length === 0) {
    return null;
  }
  return (
    <button
      type="button"
      class={isPlain ? 'tag-undo' : 'round undo'}
      aria-label={isPlain ? undefined : texts.value.scan.undoOf(titleOf(fold.shown))}
      onClick={() => void undoing.takeBack(scans)}
    >
      <Icon name="undone" />
      {isPlain && texts.value.scan.undo}
    </button>
  );
}
