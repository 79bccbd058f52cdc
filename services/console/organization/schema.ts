import { text } from '../../../base/checks/fields.ts';
import { optional } from '../../../base/checks/members.ts';
import { mergePatchOf } from '../../../platform/http/body.ts';

export const organizationPatchBody = mergePatchOf<object>()({ name: optional(text(255)) });
