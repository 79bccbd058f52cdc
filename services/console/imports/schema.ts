import { choice, type JsonSchema, text } from '../../../base/checks/fields.ts';
import { ID_SCHEMA } from '../../../base/checks/id-field.ts';
import { nullableSchema } from '../../../base/checks/members-schema.ts';
import { TIME_SCHEMA } from '../../../base/checks/time-field.ts';
import { FILE_LIMIT } from '../../../domain/master-data/imports/read-rows.ts';
import type { StreamedBody } from '../../../platform/http/body.ts';
import { CSV_TYPE } from '../../../platform/http/media-type.ts';
import { described, mandatoryParameter } from '../../../platform/http/parameters.ts';
import { COUNT_SCHEMA, listOf, objectOf, TEXT_OR_NULL, TEXT_SCHEMA } from '../serving/schemas.ts';

export const FILE = {
  parameters: {
    resource: described(
      mandatoryParameter(choice(['asset', 'location'] as const)),
      'What its rows are.',
      'asset',
    ),
    file_name: described(mandatoryParameter(text(255)), 'The name it had.', 'assets.csv'),
  },
};

export const fileBody: StreamedBody<Buffer> = {
  type: CSV_TYPE,
  schema: { type: 'string', contentMediaType: CSV_TYPE },
  limit: FILE_LIMIT,
  receive: async (chunks) => {
    const content: Buffer[] = [];
    for await (const chunk of chunks) {
      content.push(chunk);
    }
    return Buffer.concat(content);
  },
};

const ROW = objectOf({
  line: COUNT_SCHEMA,
  external_key: TEXT_OR_NULL,
  name: TEXT_OR_NULL,
  fields: listOf(objectOf({ field: TEXT_SCHEMA, from: {}, to: {} })),
});

const FAULT = objectOf({
  line: COUNT_SCHEMA,
  column: TEXT_SCHEMA,
  value: TEXT_OR_NULL,
  code: TEXT_SCHEMA,
  message: TEXT_SCHEMA,
});

const COUNTS = { created: COUNT_SCHEMA, updated: COUNT_SCHEMA, unchanged: COUNT_SCHEMA };

const RESPELLED = objectOf({ line: COUNT_SCHEMA, tag: TEXT_SCHEMA, as: TEXT_SCHEMA });

const OUTCOME_MEMBERS = {
  rows: COUNT_SCHEMA,
  counts: objectOf({ ...COUNTS, faulty: COUNT_SCHEMA }),
  shown: objectOf({ created: listOf(ROW), updated: listOf(ROW), unchanged: listOf(ROW) }),
  faults: listOf(FAULT),
  faults_left_out: COUNT_SCHEMA,
};

/** `respelled` is there only if some are. */
const OUTCOME: JsonSchema = {
  ...objectOf(OUTCOME_MEMBERS),
  properties: { ...OUTCOME_MEMBERS, respelled: listOf(RESPELLED) },
};

const STATES = ['uploaded', 'checking', 'checked', 'applying', 'applied'];

const MEMBERS: Readonly<Record<string, JsonSchema>> = {
  id: ID_SCHEMA,
  resource: { type: 'string', enum: ['asset', 'location'] },
  file_name: TEXT_SCHEMA,
  bytes: COUNT_SCHEMA,
  state: { type: 'string', enum: STATES },
  done_rows: COUNT_SCHEMA,
  rows: nullableSchema(COUNT_SCHEMA),
  created_at: TIME_SCHEMA,
  checked_at: nullableSchema(TIME_SCHEMA),
  applied_at: nullableSchema(TIME_SCHEMA),
};

export const IMPORT = objectOf(MEMBERS);

export const IMPORT_WHOLE = objectOf({ ...MEMBERS, outcome: nullableSchema(OUTCOME) });
