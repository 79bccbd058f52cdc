import { assembleDocument } from '../../../platform/description/assemble.ts';
import { type DescribedResource, publicPart } from '../../../platform/description/described-route.ts';
import type { OpenApiDocument } from '../../../platform/description/openapi.ts';
import { CHALLENGE } from '../../../platform/http/bearer.ts';
import { guide, type Limits } from './guide.ts';

export interface DescriptionOptions {
  /** Base address for clients; null for the address of the description. */
  publicUrl: string | null;
  limits: Limits;
}

/** The public part of the API as an OpenAPI 3.1 document (contract 9). */
export function describePublicApi(
  resources: readonly DescribedResource[],
  options: DescriptionOptions,
): OpenApiDocument {
  return describeApi(
    resources.flatMap((resource) => publicPart(resource) ?? []),
    options,
  );
}

export function describeApi(
  resources: readonly DescribedResource[],
  { publicUrl, limits }: DescriptionOptions,
): OpenApiDocument {
  return assembleDocument(resources, {
    title: 'tagtrail',
    summary: 'Where assets are, where they have been, and how long they stayed.',
    guide: (types) => guide(limits, types, publicUrl === null ? null : addressOf(new URL(publicUrl))),
    server: serverOf(publicUrl),
    credential: {
      name: 'apiKey',
      description: `An API key, \`Authorization: Bearer tt_...\`. Each operation names the scopes it takes in \`x-required-scopes\`. Answers without a valid key carry \`WWW-Authenticate: ${CHALLENGE}\`.`,
    },
  });
}

function serverOf(publicUrl: string | null): { url: string; description: string } {
  return publicUrl === null
    ? { url: '/', description: 'Where this description was fetched from.' }
    : { url: addressOf(new URL(publicUrl)), description: 'Where clients reach the API.' };
}

function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}
