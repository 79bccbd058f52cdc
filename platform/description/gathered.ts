import type { JsonSchema } from '../../base/checks/fields.ts';
import type { NamedSchemas } from './named-schemas.ts';
import type { Response } from './openapi.ts';

/** What operations have in common, gathered while they are described. */
export interface Gathered {
  schemas: NamedSchemas;
  /** By name. */
  responses: Record<string, Response>;
  /** The body of errors. */
  error: JsonSchema;
}
