import { FORMAT, NAMED_SHAPES } from './language/definition.ts';

export const FORMAT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'tagtrail format definition',
  ...FORMAT,
  $defs: NAMED_SHAPES,
};
