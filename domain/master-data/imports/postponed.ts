import { invalidValue } from '../../../base/checks/issues.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { OrganizationChange } from '../../changes/make-change.ts';
import { storedKeys } from '../../tracking/tag-key.ts';
import type { TagType } from '../../tracking/tag-type.ts';
import type { Keyed } from '../by-id-or-key.ts';
import { insertWithMintedKeys } from '../external-keys/mint.ts';
import { keyOfTag, type NewTag, tagName } from '../tags/new-tag.ts';
import { PARENT_COLUMN } from '../tags/queries.ts';
import { drawIds } from './draw-ids.ts';
import { Packed } from './packed.ts';
import { Parents } from './parents.ts';
import type { FileNotes, FileProblems } from './read-rows.ts';
import type { RowChange } from './report.ts';
import type { ImportRow } from './row.ts';
import { insertRows, type NewRow } from './write-rows.ts';

type Keyless = [line: number, given: ImportRow['given']];

type WantedTag = [line: number, parentId: number, tagType: TagType, value: string];

/**
 * Remaining work of an import once all rows with keys exist: resolve parents, mint keys, attach tags. Single creates
 * use the same order, so that an import and a create cannot deadlock; and creates that mint a key wait for the end of
 * an import only, not for all of it.
 */
export class Postponed {
  readonly resource: Keyed;
  readonly isDryRun: boolean;
  readonly #parents = new Parents();
  readonly #keyless = new Packed<Keyless>();
  readonly #tags = new Packed<WantedTag>();
  readonly #logged = new Map<number, RowChange>();

  constructor(resource: Keyed, isDryRun: boolean) {
    this.resource = resource;
    this.isDryRun = isDryRun;
  }

  create(row: ImportRow, tags: readonly NewTag[], logged: RowChange | null): void {
    this.#keyless.add([row.line, { ...row.given, tags: [...tags] }]);
    this.#parents.want(row, null);
    if (logged !== null) {
      this.#logged.set(row.line, logged);
    }
  }

  /**
   * Postpones the rest of an existing row.
   *
   * @param parentKey its present parent.
   */
  complete(row: ImportRow, id: number, added: readonly NewTag[], parentKey: string | null = null): void {
    if (row.given.parent_external_key !== parentKey) {
      this.#parents.want(row, id);
    }
    this.#attach(row.line, id, added);
  }

  #attach(line: number, id: number, tags: readonly NewTag[]): void {
    for (const { tagType, value } of tags) {
      this.#tags.add([line, id, tagType, value]);
    }
  }

  /** Does the work. Faults are recorded; then the transaction must be rolled back. */
  async finish(transaction: OrganizationChange, notes: FileNotes): Promise<void> {
    await this.#parents.find(transaction, notes);
    for (const group of this.#keyless.groups()) {
      await this.#createKeyless(transaction, group);
    }
    const lines = new Map<string, number>();
    for (const group of this.#tags.groups()) {
      await attach(transaction, this.resource, group, notes.problems, lines);
    }
  }

  async number(transaction: OrganizationChange): Promise<void> {
    const drawn = await drawIds(transaction, this.resource, this.#parents.keysOfNew());
    await this.#parents.write(transaction, drawn);
  }

  async #createKeyless(transaction: OrganizationChange, left: Keyless[]): Promise<void> {
    await insertWithMintedKeys(transaction, this.resource, left.length, async (keys) => {
      const keylessOf = new Map(keys.map((key, index) => [key, left[index]]));
      const created = await insertRows(
        transaction,
        this.resource,
        [...keylessOf].flatMap(([key, keyless]) => (keyless === undefined ? [] : [asNew(keyless, key)])),
      );
      for (const { id, external_key: externalKey } of created) {
        const keyless = keylessOf.get(externalKey);
        if (keyless !== undefined) {
          this.#completeKeyless(keyless, id, externalKey);
          left.splice(left.indexOf(keyless), 1);
        }
      }
      return new Set(created.map(({ external_key }) => external_key));
    });
  }

  /** The report omits the key in a dry run: it may be taken by the time of the import. */
  #completeKeyless([line, { tags, parent_external_key }]: Keyless, id: number, externalKey: string): void {
    const logged = this.#logged.get(line);
    if (logged !== undefined && !this.isDryRun) {
      logged.external_key = externalKey;
    }
    this.#parents.place(id, parent_external_key);
    this.#attach(line, id, tags ?? []);
  }
}

function asNew([, given]: Keyless, externalKey: string): NewRow {
  return {
    ...given,
    external_key: externalKey,
    name: given.name ?? '',
  };
}

async function attach(
  transaction: OrganizationChange,
  resource: Keyed,
  wanted: readonly WantedTag[],
  problems: FileProblems,
  /** By tags that the file has attached. */
  lines: Map<string, number>,
): Promise<void> {
  const rows = await attachTags(
    transaction,
    resource,
    wanted.map(([, parentId, tagType, value]) => ({
      parentId,
      tag: { tagType, value, tagKey: keyOfTag(tagType, value) },
    })),
  );
  const attached = new Set(rows.map((tag) => `${tag.parent_id}:${tagName(tag)}`));
  for (const [line, parentId, tagType, value] of wanted) {
    const name = tagName({ tag_type: tagType, value });
    if (attached.has(`${parentId}:${name}`)) {
      lines.set(name, line);
      continue;
    }
    const other = lines.get(name);
    const where = other === undefined ? 'is attached elsewhere' : `${problems.place(other)} has too`;
    problems.note(line, [invalidValue('tags', `has the tag ${name}, which ${where}`)]);
  }
}

interface AttachedTag {
  parent_id: number;
  tag_type: string;
  value: string;
}

/** Attaches tags to rows of this transaction, under placeholder ids; live ones are left out of the result. */
function attachTags(
  transaction: OrganizationChange,
  resource: Keyed,
  tags: readonly { parentId: number; tag: NewTag }[],
): Promise<readonly AttachedTag[]> {
  const keyed = tags.map(({ tag }) => ({ ...tag, ...storedKeys(tag.tagType, tag.value) }));
  const texts = (of: (tag: (typeof keyed)[number]) => string | null) => sql.array(keyed.map(of), 'text');
  const parents = sql.array(
    tags.map(({ parentId }) => parentId),
    'int4',
  );
  return transaction.any(sql.type(rowsOf<AttachedTag>())`
    insert into tags (org_id, id, ${PARENT_COLUMN[resource]}, tag_type, value, tag_key, normal_key)
    overriding system value
    select ${transaction.orgId}, nextval('placeholder_ids'), given.parent_id, given.tag_type, given.value, given.tag_key,
      given.normal_key
    from unnest(
      ${parents},
      ${texts(({ tagType }) => tagType)},
      ${texts(({ value }) => value)},
      ${texts(({ spelling }) => spelling)},
      ${texts(({ normal }) => normal)}
    ) with ordinality as given (parent_id, tag_type, value, tag_key, normal_key, ordinal)
    order by given.ordinal
    on conflict (org_id, tag_type, value) where detached_at is null do nothing
    returning ${PARENT_COLUMN[resource]} as parent_id, tag_type, value`);
}
