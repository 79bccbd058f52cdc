import { NEW_TAG, NEW_TAG_NOTES, toNewTag } from '../../../domain/master-data/tags/new-tag.ts';
import { checkedBody, jsonBody } from '../../../platform/http/body.ts';
import { described, idInPath } from '../../../platform/http/parameters.ts';

export const TAG_ID = { tag_id: described(idInPath, 'Id of the tag.', 31) };

export const newTagBody = checkedBody(jsonBody(NEW_TAG, NEW_TAG_NOTES), toNewTag);
