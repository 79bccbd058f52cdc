import type { JsonSchema } from '../../base/checks/fields.ts';

export interface OpenApiDocument {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, Response>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, object>;
  };
}

export type PathItem = { [Method in DescribedMethod]?: Operation };

export type DescribedMethod = 'get' | 'post' | 'patch' | 'delete';

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: true;
  /** Empty if any key is allowed (contract 5). */
  'x-required-scopes': string[];
  /** Date from which a deprecated operation answers 410 only. */
  'x-sunset'?: string;
  parameters?: Parameter[];
  /** Parameters that exclude or need each other, in the inter-parameter dependency language (IDL4OAS). */
  'x-dependencies'?: string[];
  requestBody?: { required: true; content: Record<string, MediaType> };
  responses: Record<string, Response | Reference>;
  'x-codeSamples': { lang: string; label: string; source: string }[];
}

export interface Parameter {
  name: string;
  in: 'query' | 'path';
  required: boolean;
  description: string;
  style?: 'form';
  explode?: true;
  schema: JsonSchema;
  example?: unknown;
}

export interface Response {
  description: string;
  /** Error types answered with the status (contract 7.2). */
  'x-error-types'?: readonly string[];
  headers: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

export interface Header {
  description: string;
  required: boolean;
  schema: JsonSchema;
  example?: unknown;
}

export interface Reference {
  $ref: string;
}
