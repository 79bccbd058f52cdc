export {
  type OrganizationConnection,
  type OrganizationDatabase,
  type OrganizationDoor,
  rowsOf,
} from '../../db/timescale/organization-door.ts';
