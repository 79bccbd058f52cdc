import { useState } from 'preact/hooks';
import type { Asset } from '../../api/asset.ts';
import type { Place } from '../../api/place.ts';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { ItemFields } from './item-fields.tsx';
import type { ItemDraft, ItemKind } from './item-kind.ts';

export function NewItemSheet<Item extends Asset | Place, Draft extends ItemDraft>({
  kind,
  onClose,
}: {
  kind: ItemKind<Item, Draft>;
  onClose: () => void;
}) {
  const t = texts.value.items;
  const [draft, setDraft] = useState(kind.draftOf());
  const { run, isBusy, problem } = useAction();
  const create = async () => {
    const { external_key } = draft;
    const written = Object.entries(kind.valuesOf(draft)).filter(([, value]) => value !== null);
    const { data } = await post<{ data: Item }>(kind.path, {
      ...Object.fromEntries(written),
      ...(external_key === '' ? {} : { external_key }),
    });
    toast(t.created(data.name));
    // On with its tags.
    go(hrefWith({ open: data.id }));
  };
  return (
    <SideSheet
      title={kind.words().newTitle}
      onClose={onClose}
      isForm
      foot={
        <button type="submit" form="new-item" class="primary" disabled={isBusy}>
          {t.create}
        </button>
      }
    >
      <form
        id="new-item"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(create);
        }}
      >
        <ItemFields
          kind={kind}
          draft={draft}
          keyHint={t.keyHint}
          isReadOnly={false}
          problem={problem}
          onDraft={setDraft}
        />
        {problem !== null && <ProblemNote problem={problem} shown={kind.shownFields} />}
      </form>
    </SideSheet>
  );
}
