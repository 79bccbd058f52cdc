import { text } from '../../../base/checks/fields.ts';
import { mandatory } from '../../../base/checks/members.ts';
import { jsonBody } from '../../../platform/http/body.ts';
import { mandatoryParameter } from '../../../platform/http/parameters.ts';
import { objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

/** As long as the change log keeps whole. */
export const noteBody = jsonBody({ note: mandatory(text(2_000)) });

export const VIEW = objectOf({ name: TEXT_SCHEMA, query: TEXT_SCHEMA });

const viewName = text(100);

export const VIEW_NAME = mandatoryParameter(viewName);

export const viewBody = jsonBody({ name: mandatory(viewName), query: mandatory(text(2_000)) });
