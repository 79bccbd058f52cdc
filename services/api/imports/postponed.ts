import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { invalidValue } from '../../shared/http/issues.ts';
import { JsonText } from '../../shared/http/json-text.ts';
import type { TagType } from '../../shared/tracking/tag-type.ts';
import { insertWithMintedKeys } from '../external-keys/mint.ts';
import { keyOfTag, type NewTag } from '../tags/schema.ts';
import { tagName } from '../tags/tag-name.ts';
import { Packed } from './packed.ts';
import type { FileProblems } from './problems.ts';
import { attachToAssets, insertAssets, type NewImportedAsset } from './queries.ts';
import type { RowChange } from './report.ts';
import type { ImportRow } from './row.ts';

/** A row without a key as it is put away: its line, what it says, and its metadata as it was written. */
type Keyless = [line: number, asset: Omit<ImportRow['asset'], 'metadata'>, metadata: string | null];

/** A tag as it is put away. */
type WantedTag = [line: number, assetId: number, tagType: TagType, value: string];

/**
 * What an import does when all rows with keys have their assets: minting keys, then attaching tags. It is the order in
 * which single creates do it, so that an import and a create never hold what the other waits for; and creates that
 * mint a key wait for the end of an import only, not for all of it.
 */
export class Postponed {
  readonly #isDryRun: boolean;
  readonly #keyless = new Packed<Keyless>();
  readonly #tags = new Packed<WantedTag>();
  /** What the report says of rows without keys, as far as it names them, by their lines. */
  readonly #told = new Map<number, RowChange>();

  constructor(isDryRun: boolean) {
    this.#isDryRun = isDryRun;
  }

  /** @param told what the report says of it, if it does. */
  create({ line, asset: { metadata, ...asset } }: ImportRow, told: RowChange | null): void {
    this.#keyless.add([line, asset, metadata?.text ?? null]);
    if (told !== null) {
      this.#told.set(line, told);
    }
  }

  attach(line: number, assetId: number, tags: readonly NewTag[]): void {
    for (const { tagType, value } of tags) {
      this.#tags.add([line, assetId, tagType, value]);
    }
  }

  /** Does it. What is wrong is noted; the transaction must then be given up. */
  async finish(transaction: OrganizationConnection, problems: FileProblems): Promise<void> {
    for (const group of this.#keyless.groups()) {
      await this.#createKeyless(transaction, group);
    }
    for (const group of this.#tags.groups()) {
      await attach(transaction, group, problems);
    }
  }

  async #createKeyless(transaction: OrganizationConnection, left: Keyless[]): Promise<void> {
    await insertWithMintedKeys(transaction, 'asset', left.length, async (keys) => {
      const keylessOf = new Map(keys.map((key, index) => [key, left[index]]));
      const created = await insertAssets(
        transaction,
        [...keylessOf].flatMap(([key, keyless]) => (keyless === undefined ? [] : [asNew(keyless, key)])),
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
  #settle([line, { tags }]: Keyless, id: number, externalKey: string): void {
    const told = this.#told.get(line);
    if (told !== undefined && !this.#isDryRun) {
      told.external_key = externalKey;
    }
    this.attach(line, id, tags ?? []);
  }
}

function asNew([, asset, metadata]: Keyless, externalKey: string): NewImportedAsset {
  return {
    ...asset,
    external_key: externalKey,
    name: asset.name ?? '',
    metadata: metadata === null ? undefined : new JsonText(metadata),
  };
}

async function attach(
  transaction: OrganizationConnection,
  wanted: readonly WantedTag[],
  problems: FileProblems,
): Promise<void> {
  const rows = await attachToAssets(
    transaction,
    wanted.map(([, assetId, tagType, value]) => ({
      assetId,
      tag: { tagType, value, tagKey: keyOfTag(tagType, value) },
    })),
  );
  const attached = new Set(rows.map((tag) => `${tag.asset_id}:${tagName(tag)}`));
  for (const [line, assetId, tagType, value] of wanted) {
    const name = tagName({ tag_type: tagType, value });
    if (!attached.has(`${assetId}:${name}`)) {
      problems.note(line, [invalidValue('tags', `has the tag ${name}, which is attached elsewhere`)]);
    }
  }
}
