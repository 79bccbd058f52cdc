import { useLayoutEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import type { Asset } from '../../api/asset.ts';
import type { Place } from '../../api/place.ts';
import { patch, post, remove } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { confirm } from '../../parts/confirm.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { TagEditor } from '../../parts/tag-editor.tsx';
import { toast } from '../../parts/toast.tsx';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { ItemFields } from './item-fields.tsx';
import type { ItemDraft, ItemKind } from './item-kind.ts';

export function EditItem<Item extends Asset | Place, Draft extends ItemDraft>({
  kind,
  item,
  reload,
  onClose,
}: {
  kind: ItemKind<Item, Draft>;
  item: Item;
  reload: () => void;
  onClose: () => void;
}) {
  const t = kind.words();
  const path = `${kind.path}/${item.id}`;
  const before = kind.draftOf(item);
  const [draft, setDraft] = useState(before);
  // After a change, by whomever, its fields begin anew: at once, or what is typed by then is lost.
  useLayoutEffect(() => setDraft(before), [item.updated_at]);
  const { run, isBusy, problem } = useAction();
  const isReadOnly = !may('operator') || item.deleted_at !== null;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  const isKeyChanged = draft.external_key !== before.external_key;

  const save = async () => {
    const { external_key } = draft;
    try {
      // Refused if somebody else has changed it since (contract 4.7).
      await patch(path, { ...kind.valuesOf(draft), updated_at: item.updated_at });
      if (isKeyChanged) {
        await post(`${path}/rename`, { external_key });
      }
    } catch (error) {
      if (error instanceof ApiError && faultOf(error, 'updated_at') !== null) {
        reload();
        throw new ApiError(409, 'conflict', t.changedMeanwhile);
      }
      throw error;
    }
    const undo = kind.undoOf?.(item, draft);
    toast(texts.value.common.saved, undo && (() => run(() => patch(path, undo))));
  };
  const retire = async () => {
    const isSure = await confirm({
      title: t.retireTitle(item.name),
      body: t.retireBody,
      action: t.retire,
      isDangerous: true,
    });
    if (isSure && (await run(() => remove(path)))) {
      toast(t.retiredDone(item.name));
      onClose();
    }
  };

  return (
    <SideSheet
      title={item.name}
      sub={<span class="mono">{item.external_key}</span>}
      onClose={onClose}
      foot={
        !isReadOnly && (
          <>
            <button type="submit" form="edit-item" class="primary" disabled={isBusy || !isChanged}>
              {texts.value.common.save}
            </button>
            <button type="button" class="danger" disabled={isBusy} onClick={() => void retire()}>
              {t.retire}
            </button>
          </>
        )
      }
    >
      <div class="stack">
        <form
          id="edit-item"
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void run(save);
          }}
        >
          <ItemFields
            kind={kind}
            draft={draft}
            keyHint={isKeyChanged ? texts.value.items.keyChangeHint : undefined}
            isReadOnly={isReadOnly}
            problem={problem}
            onDraft={setDraft}
          />
          {problem !== null && <ProblemNote problem={problem} shown={kind.shownFields} />}
        </form>
        <TagEditor path={`${path}/tags`} tags={item.tags} none={t.noTags} isReadOnly={isReadOnly} />
      </div>
    </SideSheet>
  );
}
