import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { post, remove } from '../api/send.ts';
import { TAG_TYPES, type Tag, type TagType } from '../api/types.ts';
import { useAction } from '../api/use-action.ts';
import { texts } from '../texts/texts.ts';
import { Field, Select } from './field.tsx';
import { ProblemNote } from './problem-note.tsx';
import { faultOf } from './problem-text.ts';
import { toast } from './toast.tsx';

/** The tags of an asset or a place; `path` is where they are attached. Detaching can be undone. */
export function TagEditor({
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
