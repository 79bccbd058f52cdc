import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { invalidValue } from '../../shared/http/issues.ts';
import { insertWithMintedKeys } from '../external-keys/mint.ts';
import type { NewTag } from '../tags/schema.ts';
import { tagName } from '../tags/tag-name.ts';
import type { FileProblems } from './problems.ts';
import { attachToAssets, insertAssets } from './queries.ts';
import type { RowChange } from './report.ts';
import type { ImportRow } from './row.ts';

/** A row without a key, and what the report says of it. */
interface Keyless {
  row: ImportRow;
  change: RowChange;
}

interface WantedTag {
  line: number;
  assetId: number;
  tag: NewTag;
}

/**
 * What an import does when all rows with keys have their assets: minting keys, then attaching tags. It is the order in
 * which single creates do it, so that an import and a create never hold what the other waits for; and creates that
 * mint a key wait for the end of an import only, not for all of it.
 */
export class Postponed {
  readonly #isDryRun: boolean;
  readonly #keyless: Keyless[] = [];
  readonly #tags: WantedTag[] = [];

  constructor(isDryRun: boolean) {
    this.#isDryRun = isDryRun;
  }

  create(keyless: Keyless): void {
    this.#keyless.push(keyless);
  }

  attach(line: number, assetId: number, tags: readonly NewTag[]): void {
    this.#tags.push(...tags.map((tag) => ({ line, assetId, tag })));
  }

  /** Does it. What is wrong is noted; the transaction must then be given up. */
  async finish(transaction: OrganizationConnection, problems: FileProblems): Promise<void> {
    for (const group of groupsOf(this.#keyless)) {
      await this.#createKeyless(transaction, group);
    }
    for (const group of groupsOf(this.#tags)) {
      await attach(transaction, group, problems);
    }
  }

  async #createKeyless(transaction: OrganizationConnection, left: Keyless[]): Promise<void> {
    await insertWithMintedKeys(transaction, 'asset', left.length, async (keys) => {
      const keylessOf = new Map(keys.map((key, index) => [key, left[index]]));
      const created = await insertAssets(
        transaction,
        [...keylessOf].flatMap(([key, keyless]) =>
          keyless === undefined
            ? []
            : [{ ...keyless.row.asset, external_key: key, name: keyless.change.name }],
        ),
      );
      for (const { id, external_key: externalKey } of created) {
        const keyless = keylessOf.get(externalKey);
        if (keyless !== undefined) {
          this.#settle(keyless, id, externalKey);
          left.splice(left.indexOf(keyless), 1);
        }
      }
      return new Set(created.map(({ external_key }) => external_key));
    });
  }

  /** A key that a dry run makes up may be another's by the time of the import. */
  #settle({ row, change }: Keyless, id: number, externalKey: string): void {
    change.external_key = this.#isDryRun ? null : externalKey;
    this.attach(row.line, id, row.asset.tags ?? []);
  }
}

async function attach(
  transaction: OrganizationConnection,
  wanted: readonly WantedTag[],
  problems: FileProblems,
): Promise<void> {
  const rows = await attachToAssets(transaction, wanted);
  const attached = new Set(rows.map((tag) => `${tag.asset_id}:${tagName(tag)}`));
  for (const { line, assetId, tag } of wanted) {
    const name = tagName({ tag_type: tag.tagType, value: tag.value });
    if (!attached.has(`${assetId}:${name}`)) {
      problems.note(line, [invalidValue('tags', `has the tag ${name}, which is attached elsewhere`)]);
    }
  }
}

/** What goes into one statement. */
const GROUP = 500;

function* groupsOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += GROUP) {
    yield items.slice(start, start + GROUP);
  }
}
