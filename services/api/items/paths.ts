import { described, idInPath } from '../../../platform/http/parameters.ts';

/** The path of an asset. */
export const ASSET_ID = { asset_id: described(idInPath, 'Id of the asset.', 17) };

/** The path of a location. */
export const LOCATION_ID = { location_id: described(idInPath, 'Id of the location.', 4) };
