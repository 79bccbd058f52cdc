import { described, idInPath } from '../../../platform/http/parameters.ts';

export const ASSET_ID = { asset_id: described(idInPath, 'Id of the asset.', 17) };

export const LOCATION_ID = { location_id: described(idInPath, 'Id of the location.', 4) };
