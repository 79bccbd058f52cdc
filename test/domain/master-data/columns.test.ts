import { expect } from 'chai';
import {
  ASSET_COLUMNS,
  type Column,
  type Columns,
  LOCATION_COLUMNS,
} from '../../../domain/master-data/columns.ts';
import { useDatabase } from '../../support/database.ts';

const KEPT = ['org_id', 'id', 'external_key', 'created_at', 'updated_at', 'deleted_at'];

const TABLES: { table: string; columns: Columns; kept: readonly string[] }[] = [
  { table: 'assets', columns: ASSET_COLUMNS, kept: KEPT },
  { table: 'locations', columns: LOCATION_COLUMNS, kept: [...KEPT, 'parent_id'] },
];

/** As `information_schema` has it. */
interface StoredColumn {
  name: string;
  type: string;
  otherwise: string | null;
  is_nullable: string;
  most: number | null;
}

const TYPES = { text: 'text', flag: 'boolean', time: 'timestamp with time zone', json: 'json' };

const DEFAULTS = new Map<Column['otherwise'], string | null>([
  [null, null],
  ['required', null],
  ['now', 'now()'],
  [true, 'true'],
  [false, 'false'],
  ['{}', "'{}'::json"],
]);

function asStored([name, column]: [string, Column]): StoredColumn {
  return {
    name,
    type: TYPES[column.type],
    otherwise: DEFAULTS.get(column.otherwise) ?? null,
    is_nullable: column.otherwise === null ? 'YES' : 'NO',
    most: column.type === 'text' ? column.most : null,
  };
}

describe('the columns that people fill in', () => {
  const database = useDatabase();

  for (const { table, columns, kept } of TABLES) {
    it(`are those of ${table} that the service does not keep itself, as the database has them`, async () => {
      const stored = await database.rows<StoredColumn>(
        `select column_name as name, data_type as type, column_default as otherwise, is_nullable,
           substring(pg_get_constraintdef(held.oid) from 'char_length\\(\\w+\\) <= (\\d+)')::integer as most
         from information_schema.columns
         left join pg_constraint held
           on held.conname = $1 || '__' || column_name and held.conrelid = $1::regclass and held.contype = 'c'
         where table_schema = 'public' and table_name = $1 and column_name <> all ($2)`,
        [table, kept],
      );
      expect(stored).to.have.deep.members(Object.entries(columns).map(asStored));
    });
  }
});
