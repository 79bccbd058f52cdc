import { stringify } from 'csv-stringify/sync';
import type { OrganizationConnection } from '../../../db/timescale/organization-door.ts';
import { wireTime, wireTimeOrNull } from '../../shared/http/timestamps.ts';
import { tagViews } from '../tags/view.ts';
import { COLUMNS, type Column } from './columns.ts';
import { listStoredAssets, type StoredAsset } from './queries.ts';
import { formatTagList } from './tag-list.ts';

/** Rows that are fetched, and written, at a time. */
const PAGE = 1_000;

/** A piece of the file, and how many assets are in it. */
export interface ExportedPiece {
  text: string;
  assets: number;
}

/**
 * Every live asset as CSV, in the order of their keys, in the columns that an import reads; importing it changes
 * nothing. The header comes first, as a piece without assets.
 */
export async function* exportAssets(connection: OrganizationConnection): AsyncGenerator<ExportedPiece, void> {
  yield { text: stringify([[...COLUMNS]], { record_delimiter: '\r\n' }), assets: 0 };
  for (let afterKey = ''; ; ) {
    const assets = await listStoredAssets(connection, afterKey, PAGE);
    const last = assets.at(-1);
    if (last === undefined) {
      return;
    }
    yield { text: stringify(assets.map(toCells), { record_delimiter: '\r\n' }), assets: assets.length };
    afterKey = last.external_key;
  }
}

function toCells(asset: StoredAsset): string[] {
  const cells: Record<Column, string> = {
    external_key: asset.external_key,
    name: asset.name,
    description: asset.description ?? '',
    is_active: String(asset.is_active),
    valid_from: wireTime(asset.valid_from),
    valid_to: wireTimeOrNull(asset.valid_to) ?? '',
    metadata: asset.metadata,
    tags: formatTagList(tagViews(asset.tags)),
  };
  return COLUMNS.map((column) => cells[column]);
}
