export { type ClientOptions, createTagtrailClient, type TagtrailClient } from './client.ts';
export { FeedExpiredError, type Problem, TagtrailError } from './error.ts';
export {
  type AlertEvent,
  type ChangeEvent,
  type FeedEvent,
  isAlert,
  isMove,
  type MoveEvent,
} from './feeds.ts';
export type { Following, FollowOptions } from './follow.ts';
export type { components, operations, paths } from './paths.ts';
export { type Patience, patientFetch } from './patient-fetch.ts';
export { type Page, type PageById, rows, rowsById } from './rows.ts';
export { type Answer, unwrap } from './unwrap.ts';
