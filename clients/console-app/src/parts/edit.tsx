import { texts } from '../texts/texts.ts';

/** Something as read, and its fields as edited. */
export interface Edit<Item, Draft> {
  item: Item;
  draft: Draft;
  /** Fields edited here that somebody else has changed: both values are shown. */
  theirs: Partial<Draft>;
}

interface Drafted<Item, Draft> {
  draftOf: (item: Item) => Draft;
  /** The draft as it is once saved; two that are the same then are no change. */
  savedAs?: (draft: Draft) => Draft;
}

/** The same edit after somebody else changed the item: edited fields stay, all others are theirs. */
export function rebased<Item, Draft extends object>(
  { draftOf, savedAs = (draft) => draft }: Drafted<Item, Draft>,
  { item, draft, theirs }: Edit<Item, Draft>,
  newer: Item,
): Edit<Item, Draft> {
  const [before, now, mine] = [draftOf(item), draftOf(newer), savedAs(draft)];
  const edit: Edit<Item, Draft> = { item: newer, draft: { ...now }, theirs: {} };
  for (const field of Object.keys(now) as (keyof Draft)[]) {
    if (isSame(mine[field], before[field]) && !(field in theirs)) {
      continue;
    }
    edit.draft[field] = draft[field];
    const isTheirs = field in theirs || !isSame(now[field], before[field]);
    if (isTheirs && !isSame(now[field], mine[field])) {
      edit.theirs[field] = now[field];
    }
  }
  return edit;
}

/** The names of the edited fields. */
export function changedIn<Draft extends object>(draft: Draft, before: Draft): (keyof Draft)[] {
  return (Object.keys(before) as (keyof Draft)[]).filter((field) => !isSame(draft[field], before[field]));
}

/** A picked item is the same by its key, and metadata by what is shown of it, however much of it is known. */
function isSame(one: unknown, other: unknown): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return JSON.stringify(value, ['name', 'text']);
  }
  if (typeof value === 'object' && value !== null) {
    return 'external_key' in value ? value.external_key : JSON.stringify(value);
  }
  return value;
}

/** Somebody else's values of the edited fields, to take instead. */
export function Theirs<Draft extends object>({
  theirs,
  labelOf,
  textOf,
  onTake,
}: {
  theirs: Partial<Draft>;
  labelOf: (field: keyof Draft) => string;
  /** A value in words, or nothing. */
  textOf: (value: unknown, field: keyof Draft) => string;
  onTake: (fields: Partial<Draft>) => void;
}) {
  const t = texts.value.items.theirs;
  const fields = Object.entries(theirs) as [keyof Draft, unknown][];
  if (fields.length === 0) {
    return null;
  }
  return (
    <section class="stack" aria-label={t.title}>
      <p>
        <strong>{t.title}</strong>
      </p>
      <dl class="facts">
        {fields.map(([field, value]) => (
          <>
            <dt>{labelOf(field)}</dt>
            <dd>{textOf(value, field) || t.nothing}</dd>
          </>
        ))}
      </dl>
      <div class="buttons">
        <button type="button" class="secondary small" onClick={() => onTake(theirs)}>
          {t.take}
        </button>
      </div>
    </section>
  );
}
