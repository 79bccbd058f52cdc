import { describeApi } from '../../services/api/description/document.ts';
import { API_RESOURCES } from '../../services/api/routes.ts';
import { declaredBy } from './declared-by.ts';

export type { Answer, AnswerBody } from './declared-by.ts';

/** Expects what the description the API publishes, internal routes added, promises of an answer. */
export const expectDeclared = declaredBy(
  describeApi(API_RESOURCES, { publicUrl: null, limits: { perMinute: 60, burst: 120 } }),
  '/api/',
);
