import {
  arrayOf,
  externalKey,
  type Field,
  flag,
  ID_SCHEMA,
  type JsonSchema,
  KEY_SCHEMA,
} from '../../../base/checks/fields.ts';
import { accepted } from '../../../base/checks/issues.ts';
import {
  type Members,
  mandatory,
  nullableSchema,
  objectField,
  optional,
  readMembers,
  type SchemaNotes,
} from '../../../base/checks/members.ts';
import type { JsonObject } from '../../../base/json/exact-json.ts';
import { GIVEN_MEMBERS } from '../../../domain/master-data/imports/given-row.ts';
import type { BatchItem, BatchResult } from '../../../domain/master-data/imports/import-batch.ts';
import { MOST_SHOWN } from '../../../domain/master-data/imports/read-rows.ts';
import { type Body, jsonBody } from '../../../platform/http/body.ts';
import { FIELD_ERROR } from '../../../platform/http/problem.ts';
import { ASSET, SCANNED } from '../assets/schema.ts';
import { LOCATION } from '../locations/schema.ts';

const MOST_ITEMS = 1_000;

export interface Batch {
  items: BatchItem[];
  all_or_nothing: boolean | undefined;
  dry_run: boolean | undefined;
}

/** Never refuses an item that is an object of the right types: each has a result of its own. */
function itemOf(members: Members<unknown>, notes: SchemaNotes): Field<BatchItem> {
  return {
    ...objectField(members, accepted, notes),
    read: (value, _, source) => {
      const reading = {
        nullAdvice: 'omit the field to leave unchanged, or provide a value',
        prefix: '',
        source,
      };
      const key = (value as JsonObject)['external_key'];
      const isKey = typeof key === 'string' && externalKey.read(key, '', source).ok;
      const read = readMembers(members, value as JsonObject, reading) as BatchItem['read'];
      return accepted({ externalKey: isKey ? key : null, read });
    },
  };
}

/** The first {@link MOST_SHOWN} errors are kept: a body can have 100,000, and passing them between threads took 150 ms. */
function itemsOf(item: Field<BatchItem>): Field<BatchItem[]> {
  const list = arrayOf(item, { min: 1, max: MOST_ITEMS });
  return {
    ...list,
    read: (...given) => {
      const items = list.read(...given);
      let room = MOST_SHOWN;
      for (const { read } of items.ok ? items.value : []) {
        if (!read.ok) {
          read.issues.splice(room);
          room -= read.issues.length;
        }
      }
      return items;
    },
  };
}

function batchBody(title: string, item: Field<BatchItem>, examples: readonly object[]): Body<Batch> {
  return jsonBody(
    {
      items: mandatory(itemsOf(item)),
      all_or_nothing: optional(flag),
      dry_run: optional(flag),
    },
    {
      title,
      description: 'Rows to create and change, by external key.',
      like: EXPLAINED,
      example: { items: examples },
    },
  );
}

const EXPLAINED = {
  properties: {
    items: { description: 'The rows, no two with one key.' },
    all_or_nothing: { description: 'Whether one refused item refuses all. False if left out.' },
    dry_run: { description: 'Whether to tell only what would be done. False if left out.' },
  },
};

const KEY = { external_key: mandatory(externalKey) };

const ASSET_EXAMPLE = {
  external_key: 'PALLET-17',
  name: 'Euro pallet 17',
  tags: [{ tag_type: 'rfid', value: 'E28011600000020912345678' }],
};

export const assetBatchBody = batchBody(
  'AssetBatch',
  itemOf(
    { ...GIVEN_MEMBERS.asset, ...KEY, ...SCANNED },
    {
      description: 'An asset to create or change. Its name is required if the key is new.',
      like: ASSET,
    },
  ),
  [ASSET_EXAMPLE, { external_key: 'PALLET-18', description: null }],
);

export const locationBatchBody = batchBody(
  'LocationBatch',
  itemOf(
    { ...GIVEN_MEMBERS.location, ...KEY },
    {
      description: 'A location to create or change. Its name is required if the key is new.',
      like: LOCATION,
    },
  ),
  [
    { external_key: 'WAREHOUSE', name: 'Warehouse' },
    { external_key: 'DOCK-1', name: 'Dock 1', parent_external_key: 'WAREHOUSE' },
  ],
);

export const BATCH_RESULTS: JsonSchema = {
  type: 'array',
  description: 'A result for each item, in their order.',
  items: {
    title: 'BatchResult',
    type: 'object',
    properties: {
      external_key: { ...nullableSchema(KEY_SCHEMA), description: 'As given; null if it is not valid.' },
      id: { ...nullableSchema(ID_SCHEMA), description: 'Null if it was refused, and in a dry run.' },
      result: {
        type: 'string',
        'x-extensible-enum': ['created', 'updated', 'unchanged', 'refused'],
        description: 'What became of it, or would. More may come.',
      },
      errors: {
        type: 'array',
        items: FIELD_ERROR,
        description: 'Why it was refused; of a batch, the first 1,000 errors.',
      },
    },
    required: ['external_key', 'id', 'result', 'errors'],
  },
  examples: [[{ external_key: 'PALLET-17', id: 17, result: 'created', errors: [] }] satisfies BatchResult[]],
};
