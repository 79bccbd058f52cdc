import type { Change, ChangePage } from '../api/types.ts';
import { useRead } from '../api/use-read.ts';
import { href, hrefWith } from '../router/router.ts';
import { texts } from '../texts/texts.ts';
import { Instant } from './instant.tsx';
import { ProblemNote } from './problem-note.tsx';
import type { SavedCell } from './save-file.ts';
import { savedRows } from './table.tsx';

const SHOWN = 5;

/** Fields that are shown without being asked for. */
const FEW = 4;

/** The page of each changed resource. */
const PAGES: Readonly<Record<string, string>> = { asset: 'asset', location: 'place' };

/**
 * A change in words, with values before and after. With `isFiltering`, a click on the author shows only that author's
 * changes.
 */
export function ChangeLine({ change, isFiltering }: { change: Change; isFiltering: boolean }) {
  const t = texts.value.changes;
  const { actor, at, resource } = change;
  const page = PAGES[resource.type];
  const names = namesIn(change);
  return (
    <li class="change">
      <p>
        {isFiltering ? (
          <a
            href={hrefWith({ actor: `${actor.type}:${actor.id}`, cursor: null })}
            title={t.onlyBy(actorWords(actor))}
          >
            <strong>{actorWords(actor)}</strong>
          </a>
        ) : (
          <strong>{actorWords(actor)}</strong>
        )}{' '}
        {deedWords(change)}
        <span class="hint">
          {' · '}
          <Instant at={at} />
          {isFiltering && page !== undefined && (
            <>
              {' · '}
              <a href={href(page, resource.id)} aria-label={t.openOf(resourceWords(resource))}>
                {t.open}
              </a>
            </>
          )}
        </span>
      </p>
      {names.length > FEW ? (
        <details>
          <summary class="hint">{t.count(names.length)}</summary>
          <Differences change={change} names={names} />
        </details>
      ) : (
        <Differences change={change} names={names} />
      )}
    </li>
  );
}

/** A row for each changed field. */
export function changeRows(changes: readonly Change[]): SavedCell[][] {
  const t = texts.value.changes;
  const fields = changes.flatMap((change) =>
    (namesIn(change).length === 0 ? [''] : namesIn(change)).map((name) => ({ change, name })),
  );
  return savedRows(fields, [
    { title: t.when, saved: ({ change }) => change.at },
    { title: t.who, saved: ({ change }) => actorWords(change.actor) },
    { title: t.what, saved: ({ change }) => deedWords(change) },
    { title: t.key, saved: ({ change: { resource } }) => resource.external_key ?? resource.id },
    { title: t.field, saved: ({ name, change: { resource } }) => fieldWord(name, resource) },
    {
      title: t.before.replace(':', ''),
      saved: ({ change, name }) => savedValue(name, change.before?.[name]),
    },
    { title: t.after.replace(':', ''), saved: ({ change, name }) => savedValue(name, change.after?.[name]) },
  ]);
}

function savedValue(field: string, value: unknown): SavedCell {
  if (typeof value === 'object' && value !== null) {
    return listed(value);
  }
  return value == null ? null : valueWord(field, String(value));
}

function namesIn({ before, after }: Change): string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
}

function Differences({ change, names }: { change: Change; names: readonly string[] }) {
  const t = texts.value.changes;
  const { before, after, resource } = change;
  return (
    <dl class="facts">
      {names.map((name) => (
        <div key={name}>
          <dt>{fieldWord(name, resource)}</dt>
          <dd>
            {before !== null && Object.hasOwn(before, name) && (
              <>
                <span class="unseen">{t.before}</span>
                <span class="was">
                  <ChangedValue field={name} value={before[name]} />
                </span>{' '}
                <span aria-hidden="true">→</span>{' '}
              </>
            )}
            <span class="unseen">{t.after}</span>
            <ChangedValue field={name} value={after?.[name]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A logged value; a value that was too large is shown by its size. */
function ChangedValue({ field, value }: { field: string; value: unknown }) {
  const t = texts.value.changes;
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) {
    return <span class="none">–</span>;
  }
  if (typeof value === 'boolean') {
    return <>{value ? t.yes : t.no}</>;
  }
  if (typeof value === 'string') {
    return <>{TIME.test(value) ? <Instant at={value} isLong /> : valueWord(field, value)}</>;
  }
  if (typeof value !== 'object') {
    return <>{String(value)}</>;
  }
  const left = 'left_out' in value ? (value.left_out as { bytes: number | null }) : null;
  if (left !== null) {
    // Early versions logged so that there was nothing.
    return left.bytes === null ? (
      <span class="none">–</span>
    ) : (
      <span class="hint">{t.leftOut(left.bytes)}</span>
    );
  }
  return <span class="mono">{listed(value)}</span>;
}

/** Tags one after another, everything else as JSON. */
function listed(value: object): string {
  const isTags = Array.isArray(value) && value.every((each) => isTag(each));
  return isTags
    ? value.map(({ tag_type, value: text }) => `${tag_type} ${text}`).join(', ')
    : JSON.stringify(value);
}

function isTag(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'tag_type' in value && 'value' in value;
}

/** The actor: a person, a program by its key, a device, or somebody at the command line. */
export function actorWords({ type, id, name }: Change['actor']): string {
  const t = texts.value.changes;
  switch (type) {
    case 'user':
      return name ?? t.unknownUser;
    case 'key':
      return t.program(name ?? id);
    case 'handheld':
      return t.handheld(name ?? id);
    case 'command_line':
      return t.commandLine(id);
    default:
      return `${type} ${name ?? id}`;
  }
}

/** `asset PALLET-1` */
export function resourceWords({ type, id, external_key, name }: Change['resource']): string {
  const word = wordOf(texts.value.changes.resources, type);
  return `${word} ${external_key ?? name ?? id}`;
}

/** `created asset PALLET-1` */
function deedWords({ action, resource }: Change): string {
  const { actions } = texts.value.changes;
  const what = resourceWords(resource);
  const known = [`${action}_${resource.type}`, action].find((name) => Object.hasOwn(actions, name));
  return known === undefined ? `${action}: ${what}` : actions[known as keyof typeof actions](what);
}

function fieldWord(field: string, { type }: Change['resource']): string {
  const { changes, places } = texts.value;
  return field === 'deleted_at' && type === 'location' ? places.retired : wordOf(changes.fields, field);
}

/** A value that is one of few, in words. */
function valueWord(field: string, value: string): string {
  const { changes, roles, rules, readings } = texts.value;
  const { purposes: purpose, means: by } = changes;
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    ...{ role: roles, purpose, by, kind: rules.kinds, reading: readings.kinds },
  };
  const known = Object.hasOwn(words, field) ? words[field] : undefined;
  return known !== undefined && Object.hasOwn(known, value) ? (known[value] ?? value) : value;
}

/** A newer server may know what this app has no word for. */
function wordOf(words: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(words, name) ? (words[name] ?? name) : name.replaceAll('_', ' ');
}

/** The last changes of an asset or a place, on its page. */
export function ChangesOf({ type, id }: { type: 'asset' | 'location'; id: number }) {
  const t = texts.value.changes;
  const { answer, problem, reload } = useRead<ChangePage>('/changes', {
    resource_type: type,
    resource_id: id,
    limit: SHOWN,
  });
  return (
    <section class="stack" aria-labelledby="changes-of">
      <h2 id="changes-of">{t.title}</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {answer?.data.length === 0 && <p class="hint">{t.noneOfOne}</p>}
      <ul class="lines">
        {answer?.data.map((change) => (
          <ChangeLine key={change.id} change={change} isFiltering={false} />
        ))}
      </ul>
      {answer?.next != null && (
        <div class="buttons">
          <a class="small secondary" href={href('settings', 'changes', { type, id })}>
            {t.allOfOne}
          </a>
        </div>
      )}
    </section>
  );
}
