import { flag, jsonObject, text } from '../../../base/checks/fields.ts';
import { mandatory, optional, refusedMember } from '../../../base/checks/members.ts';
import { URL_MAX_LENGTH } from '../../../domain/webhooks/targets/target-url.ts';
import { jsonBody } from '../../../platform/http/body.ts';

/** Characters of a query's name. */
const NAME_MOST = 100;

export const newQueryBody = jsonBody({ name: mandatory(text(NAME_MOST)), query: mandatory(jsonObject) });

const AS_THEY_COME = 'is not supported: events are sent as they come; set stream to true';

export const newSubscriptionBody = jsonBody({
  dest: mandatory(text(URL_MAX_LENGTH)),
  signatureToken: optional(text(255)),
  stream: optional(flag),
  schedule: refusedMember(`schedule ${AS_THEY_COME}`),
  reportIfEmpty: refusedMember(`reportIfEmpty ${AS_THEY_COME}`),
  initialRecordTime: refusedMember(
    'initialRecordTime is not supported: a subscription begins when it is made',
  ),
});
