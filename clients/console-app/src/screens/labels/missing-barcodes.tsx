import { Icon } from '../../../../ui/parts/icon.tsx';
import { useAction } from '../../api/use-action.ts';
import { confirm } from '../../parts/confirm.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { giveBarcodes } from './give-barcodes.ts';
import type { LabelItem } from './label-item.ts';

/** Scanners know tags, not keys: what has no barcode is given its key as one, so that its label can be scanned. */
export function MissingBarcodes({ of, items }: { of: 'assets' | 'locations'; items: readonly LabelItem[] }) {
  const t = texts.value.labels;
  const { run, isBusy, problem } = useAction();
  const give = async () => {
    const isSure = await confirm({
      title: t.giveTitle(items.length),
      body: t.giveBody,
      action: t.giveAction,
    });
    if (isSure) {
      await run(() => giveBarcodes(of, items));
    }
  };
  if (items.length === 0) {
    return null;
  }
  return (
    <>
      <div class="note note-problem label-note">
        <Icon name="alert" />
        <p>{t.notFound(items.length)}</p>
        {may('operator') && (
          <button type="button" class="small secondary" disabled={isBusy} onClick={() => void give()}>
            {t.give}
          </button>
        )}
      </div>
      {isBusy && <Progress label={t.giving} />}
      {problem !== null && <ProblemNote problem={problem} />}
    </>
  );
}
