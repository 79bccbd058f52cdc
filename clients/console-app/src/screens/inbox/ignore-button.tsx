import { post } from '../../api/send.ts';
import type { UnknownTag } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { toast } from '../../parts/toast.tsx';
import { address } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** Ignores a tag for good, or lists again what was ignored. */
export function IgnoreButton({
  tag,
  class: name = 'secondary small',
  onDone = () => {},
}: {
  tag: UnknownTag;
  class?: string;
  onDone?: () => void;
}) {
  const t = texts.value.inbox;
  const { run, isBusy } = useAction();
  const isIgnored = address.value.query.get('ignored') === 'true';
  const path = `/unknown-tags/${encodeURIComponent(tag.id)}/ignore`;
  const set = async (undo: boolean) => {
    await post(path, undo ? { undo } : {});
    toast(undo ? t.listedAgain(tag.value) : t.ignored(tag.value), () => set(!undo));
    onDone();
  };
  return (
    <button type="button" class={name} disabled={isBusy} onClick={() => void run(() => set(isIgnored))}>
      {isIgnored ? t.listAgain : t.ignore}
      <span class="unseen"> {tag.value}</span>
    </button>
  );
}
