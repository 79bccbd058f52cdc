import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { ApiError } from '../../api/api-error.ts';
import { patch, post, remove } from '../../api/send.ts';
import { type Asset, type Place, TAG_TYPES, type Tag, type TagType } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Field, Select, TextArea } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, go, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import type { FieldsProps, ItemDraft, ItemKind } from './item-kind.ts';

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

/** `shown` is the row in the list: retired items are readable nowhere else. */
function ItemSheet<Item extends Asset | Place, Draft extends ItemDraft>({
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

function EditItem<Item extends Asset | Place, Draft extends ItemDraft>({
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
  // After anybody's change the fields start over at once, or typed text would be lost later.
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

function NewItemSheet<Item extends Asset | Place, Draft extends ItemDraft>({
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

function ItemFields<Item extends Asset | Place, Draft extends ItemDraft>({
  kind: { OwnFields },
  keyHint,
  ...props
}: FieldsProps<Draft> & { kind: ItemKind<Item, Draft>; keyHint: string | undefined }) {
  const t = texts.value.items;
  const { draft, problem, isReadOnly, onDraft } = props;
  return (
    <>
      <Field
        label={t.name}
        name="name"
        required
        maxLength={255}
        readOnly={isReadOnly}
        value={draft.name}
        fault={faultOf(problem, 'name')}
        onValue={(name) => onDraft({ ...draft, name })}
      />
      <Field
        label={t.key}
        name="external_key"
        class="mono"
        maxLength={255}
        readOnly={isReadOnly}
        hint={keyHint}
        value={draft.external_key}
        fault={faultOf(problem, 'external_key')}
        onValue={(external_key) => onDraft({ ...draft, external_key })}
      />
      {OwnFields !== undefined && <OwnFields {...props} />}
      <TextArea
        label={t.description}
        name="description"
        rows={3}
        maxLength={1024}
        readOnly={isReadOnly}
        value={draft.description}
        fault={faultOf(problem, 'description')}
        onValue={(description) => onDraft({ ...draft, description })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={draft.is_active}
          disabled={isReadOnly}
          onChange={(event) => onDraft({ ...draft, is_active: event.currentTarget.checked })}
        />
        {t.isActive}
      </label>
    </>
  );
}

/** The tags of an asset or a place; `path` is where they are attached. Detaching can be undone. */
function TagEditor({
  path,
  tags,
  none,
  isReadOnly,
}: {
  path: string;
  tags: readonly Tag[];
  /** Said where there are none. */
  none: string;
  isReadOnly: boolean;
}) {
  const t = texts.value.tags;
  const [type, setType] = useState<TagType>('rfid');
  const [value, setValue] = useState('');
  const { run, isBusy, problem } = useAction();
  const attach = async (tag: Pick<Tag, 'tag_type' | 'value'>) => {
    await post(path, { tag_type: tag.tag_type, value: tag.value });
    toast(t.attached(tag.value));
  };
  const detach = (tag: Tag) =>
    run(async () => {
      await remove(`${path}/${tag.id}`);
      toast(t.detached(tag.value), () => run(() => attach(tag)));
    });
  return (
    <section class="stack" aria-label={t.title}>
      <h3>{t.title}</h3>
      {tags.length === 0 && <p class="hint">{none}</p>}
      <ul class="tag-list">
        {tags.map((tag) => (
          <li key={tag.id}>
            <span class="tag-type">{t.types[tag.tag_type]}</span>
            <span class="mono">{tag.value}</span>
            {!isReadOnly && (
              <button
                type="button"
                class="quiet"
                aria-label={t.detach(tag.value)}
                title={t.detach(tag.value)}
                disabled={isBusy}
                onClick={() => void detach(tag)}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {!isReadOnly && (
        <form
          class="tag-form"
          onSubmit={async (event) => {
            event.preventDefault();
            if (await run(() => attach({ tag_type: type, value }))) {
              setValue('');
            }
          }}
        >
          <Select
            label={t.type}
            options={TAG_TYPES.map((each) => ({ value: each, word: t.types[each] }))}
            value={type}
            onValue={setType}
          />
          <Field
            label={t.value}
            name="tag"
            class="mono"
            required
            maxLength={255}
            autocomplete="off"
            spellcheck={false}
            value={value}
            fault={faultOf(problem, 'value')}
            onValue={setValue}
          />
          <button type="submit" class="secondary" disabled={isBusy}>
            {t.attach}
          </button>
        </form>
      )}
      {problem !== null && <ProblemNote problem={problem} shown={['value']} />}
    </section>
  );
}
