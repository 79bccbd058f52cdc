import type { Bodies } from '../../platform/http/body-thread.ts';
import { newApiKeyBody } from './api-keys/schema.ts';
import { assetPatchBody, newAssetBody } from './assets/schema.ts';
import { newQueryBody, newSubscriptionBody } from './epcis/query-bodies.ts';
import { assetBatchBody, locationBatchBody } from './imports/batch-schema.ts';
import { renameBody } from './items/item-schema.ts';
import { locationPatchBody, newLocationBody } from './locations/schema.ts';
import { newRuleBody, rulePatchBody, storedTrialBody, trialBody } from './rules/schema.ts';
import { newTagBody } from './tags/schema.ts';
import { newWebhookBody, replayBody, webhookPatchBody } from './webhooks/schema.ts';

/** Bodies by operation, apart from the routes: a worker thread that checks them needs nothing else. */
export const BODIES: Bodies = {
  createAsset: newAssetBody,
  writeAssets: assetBatchBody,
  updateAsset: assetPatchBody,
  renameAsset: renameBody,
  attachAssetTag: newTagBody,
  createLocation: newLocationBody,
  writeLocations: locationBatchBody,
  updateLocation: locationPatchBody,
  renameLocation: renameBody,
  attachLocationTag: newTagBody,
  issueApiKey: newApiKeyBody,
  createRule: newRuleBody,
  updateRule: rulePatchBody,
  tryRule: trialBody,
  tryStoredRule: storedTrialBody,
  createWebhook: newWebhookBody,
  updateWebhook: webhookPatchBody,
  replayWebhook: replayBody,
  epcisCreateQuery: newQueryBody,
  epcisSubscribe: newSubscriptionBody,
};
