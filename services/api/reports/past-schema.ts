import { ID_SCHEMA, KEY_SCHEMA, TIME_SCHEMA } from '../../../base/checks/fields.ts';
import { nullableSchema } from '../../../base/checks/members.ts';

/** The asset and location that begin every row of a report about the past. */
export const PAST_IDS = {
  asset_id: { ...ID_SCHEMA, description: 'The asset.' },
  asset_external_key: { ...KEY_SCHEMA, description: 'The current external key of the asset.' },
  asset_deleted_at: {
    ...nullableSchema(TIME_SCHEMA),
    description: 'When the asset was soft-deleted. Null if it is live.',
  },
  location_id: { ...ID_SCHEMA, description: 'Where it was.' },
  location_external_key: {
    ...KEY_SCHEMA,
    description: 'The current external key of that location, also if that is deleted by now.',
  },
};

export const PAST_IDS_EXAMPLE = {
  asset_id: 17,
  asset_external_key: 'PALLET-17',
  asset_deleted_at: null,
  location_id: 4,
  location_external_key: 'DOCK-1',
};
