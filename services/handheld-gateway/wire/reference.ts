import { ID_SCHEMA, type JsonSchema, KEY_SCHEMA } from '../../../base/checks/fields.ts';

export interface Reference {
  id: number;
  external_key: string;
  name: string;
}

/** For a row that may have none. */
export function referenceOf(
  id: number | null,
  externalKey: string | null,
  name: string | null,
): Reference | null {
  return id === null || externalKey === null || name === null
    ? null
    : { id, external_key: externalKey, name };
}

export const REFERENCE_PROPERTIES = {
  id: { ...ID_SCHEMA, description: 'Assigned by the service; never changes.' },
  external_key: { ...KEY_SCHEMA, description: "The organization's own key." },
  name: { type: 'string', minLength: 1, maxLength: 255, description: 'Its name.' },
} as const;

export function referenceSchema(description: string, example: Reference): JsonSchema {
  return {
    type: ['object', 'null'],
    description,
    properties: REFERENCE_PROPERTIES,
    required: ['id', 'external_key', 'name'],
    examples: [example],
  };
}

export const ASSET_EXAMPLE: Reference = { id: 17, external_key: 'ASSET-0017', name: 'Forklift' };
export const LOCATION_EXAMPLE: Reference = { id: 4, external_key: 'DOCK-1', name: 'Dock 1' };
