import type { Change } from '../../api/types.ts';
import { href, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { Instant } from '../instant.tsx';
import { actorWords, deedWords, fieldWord, resourceWords } from './change-words.ts';

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
  const names = [...new Set([...Object.keys(change.before ?? {}), ...Object.keys(change.after ?? {})])];
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

function Differences({ change: { before, after }, names }: { change: Change; names: readonly string[] }) {
  const t = texts.value.changes;
  return (
    <dl class="facts">
      {names.map((name) => (
        <div key={name}>
          <dt>{fieldWord(name)}</dt>
          <dd>
            {before !== null && Object.hasOwn(before, name) && (
              <>
                <span class="unseen">{t.before}</span>
                <span class="was">
                  <ChangedValue value={before[name]} />
                </span>{' '}
                <span aria-hidden="true">→</span>{' '}
              </>
            )}
            <span class="unseen">{t.after}</span>
            <ChangedValue value={after?.[name]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A logged value; a value that was too large is shown by its size. */
function ChangedValue({ value }: { value: unknown }) {
  const t = texts.value.changes;
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) {
    return <span class="none">–</span>;
  }
  if (typeof value === 'boolean') {
    return <>{value ? t.yes : t.no}</>;
  }
  if (typeof value === 'string') {
    return <>{TIME.test(value) ? <Instant at={value} isLong /> : value}</>;
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
