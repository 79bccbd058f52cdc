import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { ApiError } from '../../api/api-error.ts';
import { patch, post, read, remove } from '../../api/send.ts';
import { type Asset, bracketed, type Place, TAG_TYPES, type Tag, type TagType } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { confirm } from '../../parts/confirm.tsx';
import { changedIn, type Edit, rebased, Theirs } from '../../parts/edit.tsx';
import { Field, Select, TextArea } from '../../parts/field.tsx';
import type { PickedItem } from '../../parts/item-picker.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { FormSheet, SideSheet } from '../../parts/side-sheet.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, href, hrefWith, leaveFor } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import type { FieldsProps, ItemDraft, ItemKind } from './item-kind.ts';

/** The sheet that the address opens beside a list or on its page: `?open=17`, or `?open=new`. */
export function OpenItem<Item extends Asset | Place, Draft extends ItemDraft>({
  kind,
  rows,
}: {
  kind: ItemKind<Item, Draft>;
  rows: readonly Item[];
}) {
  const open = address.value.query.get('open');
  const close = () => leaveFor(hrefWith({ open: null, within: null }));
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
  const live = useRead<{ data: Item }>(isRetired ? null : `${kind.path}/${id}`);
  const mayBeRetired = live.problem?.status === 404 && kind.retired !== undefined;
  const retired = useRead<{ data: Item }>(mayBeRetired ? `${kind.retired?.path}/${id}` : null);
  const { answer, problem, reload } = mayBeRetired ? retired : live;
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
  return <EditItem kind={kind} item={item} onClose={onClose} />;
}

/** How often a save is repeated because somebody else changed other fields meanwhile. */
const MOST_TRIES = 5;

function EditItem<Item extends Asset | Place, Draft extends ItemDraft>({
  kind,
  item,
  onClose,
}: {
  kind: ItemKind<Item, Draft>;
  item: Item;
  onClose: () => void;
}) {
  const t = kind.words();
  const path = `${kind.path}/${item.id}`;
  const [edit, setEdit] = useState<Edit<Item, Draft>>({ item, draft: kind.draftOf(item), theirs: {} });
  useLayoutEffect(() => setEdit((before) => rebased(kind, before, item)), [item.updated_at]);
  const { draft, theirs } = edit;
  const setDraft = (changed: Draft) => setEdit({ ...edit, draft: changed });
  const { run, isBusy, problem } = useAction();
  const isReadOnly = !may('operator') || item.deleted_at !== null;
  const isChanged = !isReadOnly && changedIn(draft, kind.draftOf(edit.item)).length > 0;
  const isKeyChanged = draft.external_key !== edit.item.external_key;

  const save = async () => {
    const written = await write(kind, edit, setEdit);
    if (isKeyChanged) {
      await post(`${path}/rename`, { external_key: written.draft.external_key });
    }
    const undo = kind.undoOf?.(written.item, written.draft);
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
      isChanged={isChanged}
      foot={
        item.deleted_at !== null && kind.retired !== undefined ? (
          <a class="secondary" href={href(kind.retired.screen, item.id)}>
            {t.open}
          </a>
        ) : (
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
          <Theirs
            theirs={theirs}
            labelOf={(field) =>
              texts.value.items.theirs.of[field as keyof typeof texts.value.items.theirs.of]
            }
            textOf={shownValue}
            onTake={(taken) => setEdit({ ...edit, draft: { ...draft, ...taken }, theirs: {} })}
          />
        </form>
        <TagEditor path={`${path}/tags`} tags={item.tags} none={t.noTags} isReadOnly={isReadOnly} />
        {kind.Besides !== undefined && item.deleted_at === null && <kind.Besides item={item} />}
      </div>
    </SideSheet>
  );
}

/** Saves; if somebody else changed it since (contract 4.7), merges both changes, unless they collide. */
async function write<Item extends Asset | Place, Draft extends ItemDraft>(
  kind: ItemKind<Item, Draft>,
  edit: Edit<Item, Draft>,
  onRebased: (rebased: Edit<Item, Draft>) => void,
): Promise<Edit<Item, Draft>> {
  const path = `${kind.path}/${edit.item.id}`;
  let now = edit;
  for (let tries = 1; ; tries++) {
    try {
      await patch(path, { ...changedValues(kind, now), updated_at: now.item.updated_at });
      return now;
    } catch (error) {
      if (!(error instanceof ApiError) || faultOf(error, 'updated_at') === null || tries === MOST_TRIES) {
        throw error;
      }
    }
    now = rebased(kind, now, (await read<{ data: Item }>(path)).data);
    onRebased(now);
    if (Object.keys(now.theirs).length > 0) {
      throw new ApiError(409, 'conflict', kind.words().changedMeanwhile);
    }
  }
}

/** Fields that were not edited are not sent: numbers in metadata may have more digits than a browser keeps. */
function changedValues<Item extends Asset | Place, Draft extends ItemDraft>(
  kind: ItemKind<Item, Draft>,
  { item, draft }: Edit<Item, Draft>,
): Record<string, unknown> {
  const before = kind.valuesOf(kind.draftOf(item));
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(kind.valuesOf(draft)).filter(isChanged));
}

function shownValue(value: unknown): string {
  const t = texts.value.items.theirs;
  if (typeof value === 'boolean') {
    return value ? t.yes : t.no;
  }
  if (Array.isArray(value)) {
    return value.map(({ name, text }) => `${name}: ${text}`).join(', ');
  }
  return typeof value === 'object' ? ((value as PickedItem | null)?.external_key ?? '') : String(value);
}

function NewItemSheet<Item extends Asset | Place, Draft extends ItemDraft>({
  kind,
  onClose,
}: {
  kind: ItemKind<Item, Draft>;
  onClose: () => void;
}) {
  const t = texts.value.items;
  const begin = (after?: Draft) => kind.newDraft?.(after) ?? kind.draftOf();
  const [empty, setEmpty] = useState(() => begin());
  const [draft, setDraft] = useState(empty);
  const action = useAction();
  const createAnother = async () => {
    await created(kind, draft);
    const next = begin(draft);
    setEmpty(next);
    setDraft(next);
    document.querySelector<HTMLElement>('dialog [name=name]')?.focus();
  };
  return (
    <FormSheet
      title={kind.words().newTitle}
      onClose={onClose}
      isForm
      isChanged={JSON.stringify(draft) !== JSON.stringify(empty)}
      submit={t.create}
      action={action}
      shown={kind.shownFields}
      others={
        <button
          type="button"
          class="secondary"
          disabled={action.isBusy || draft.name === ''}
          onClick={() => void action.run(createAnother)}
        >
          {t.createAnother}
        </button>
      }
      // On with its tags.
      onSubmit={async () => leaveFor(hrefWith({ open: (await created(kind, draft)).id, within: null }))}
    >
      <ItemFields
        kind={kind}
        draft={draft}
        keyHint={t.keyHint}
        isReadOnly={false}
        problem={action.problem}
        onDraft={setDraft}
      />
    </FormSheet>
  );
}

async function created<Item extends Asset | Place, Draft extends ItemDraft>(
  kind: ItemKind<Item, Draft>,
  draft: Draft,
): Promise<Item> {
  const { external_key } = draft;
  const written = Object.entries(kind.valuesOf(draft)).filter(([, value]) => value !== null);
  const { data } = await post<{ data: Item }>(kind.path, {
    ...Object.fromEntries(written),
    ...(external_key === '' ? {} : { external_key }),
  });
  toast(texts.value.items.created(data.name));
  return data;
}

function ItemFields<Item extends Asset | Place, Draft extends ItemDraft>({
  kind: { OwnFields, MoreFields },
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
      {MoreFields !== undefined && <MoreFields {...props} />}
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

/** Other notations of a tag's value by GS1's standards. */
function namesOf(tag: Tag): string[] {
  const names = [bracketed(tag), tag.digital_link, tag.epc_uri];
  return names.filter((name): name is string => name != null && name !== tag.value);
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
            <span class="mono">
              {tag.value}
              {namesOf(tag).map((name) => (
                <small key={name}>{name}</small>
              ))}
            </span>
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
