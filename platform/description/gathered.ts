import type { JsonSchema } from '../../base/checks/fields.ts';
import type { NamedSchemas } from './named-schemas.ts';
import type { Response } from './openapi.ts';

export interface Gathered {
  schemas: NamedSchemas;
  responses: Record<string, Response>;
  error: JsonSchema;
}
