import type { JsonSchema } from '../../../../base/checks/fields.ts';
import type {
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Response,
} from '../../../../platform/description/openapi.ts';
import { curl, json } from './code.ts';
import { type Html, html } from './html.ts';
import { inline } from './markdown.ts';
import { field, reference, schemaFields, typeOf } from './schema-fields.ts';

export interface Placed {
  method: string;
  path: string;
  operation: Operation;
}

export function operationArticle(placed: Placed, document: OpenApiDocument): Html {
  const { operation, path } = placed;
  const { operationId: id, summary, description, parameters = [] } = operation;
  return html`<article id="${id}">
<header>
<h3><a class="anchor" href="#${id}">${summary}</a></h3>
<p class="call">${methodBadge(placed.method)} <code>${pathOf(path)}</code></p>
</header>
<div class="told">
<p class="scope">${scopeOf(operation)}</p>
${operation.deprecated === true ? html`<p class="warning">Deprecated: it ends on ${operation['x-sunset'] ?? ''}.</p>` : null}
${description === undefined ? null : html`<p>${inline(description)}</p>`}
${parameterFields('In the path', parameters, 'path')}
${parameterFields('In the query', parameters, 'query')}
${bodyFields(operation, document)}
<h4>Responses</h4>
<dl class="answers">${Object.entries(operation.responses).map(([status, response]) =>
    answer(status, resolved(response, document), document),
  )}</dl>
</div>
<div class="shown">${examples(placed, document)}</div>
</article>`;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

function pathOf(path: string): Html {
  return html`${path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? html`<var>${part}</var>` : part))}`;
}

function scopeOf(operation: Operation): Html {
  const scopes = operation['x-required-scopes'];
  return scopes.length === 0
    ? html`Takes any key.`
    : html`Takes a key with ${scopes.map((scope) => html`<code>${scope}</code>`)}.`;
}

function parameterFields(title: string, all: readonly Parameter[], place: 'path' | 'query'): Html | null {
  const parameters = all.filter((parameter) => parameter.in === place);
  if (parameters.length === 0) {
    return null;
  }
  return html`<h4>${title}</h4>
<dl class="fields">${parameters.map(({ name, schema, explode, description }) =>
    explode === true
      ? field(name, schema['items'] as JsonSchema, 'repeatable', description)
      : field(name, schema, null, description),
  )}</dl>`;
}

function bodyFields({ requestBody }: Operation, document: OpenApiDocument): Html | null {
  const [content] = Object.entries(requestBody?.content ?? {});
  if (content === undefined) {
    return null;
  }
  const [type, { schema }] = content;
  const body = resolved<JsonSchema>(schema, document);
  const properties = Object.entries((body['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const writable = properties.filter(([, property]) => property['readOnly'] !== true);
  return html`<h4>Body <code>${type}</code></h4>
<p>${inline(String(body['description'] ?? ''))} ${typeof schema['$ref'] === 'string' ? reference(schema['$ref']) : null}</p>
${schemaFields({ ...body, properties: Object.fromEntries(writable) })}`;
}

function answer(status: string, { description, content }: Response, document: OpenApiDocument): Html {
  const schema = content?.['application/json']?.schema;
  const isSuccess = Number(status) < 400;
  return html`<div><dt class="${isSuccess ? 'good' : 'bad'}">${status}</dt><dd>${inline(description)}${
    isSuccess && schema !== undefined ? contentOf(resolved<JsonSchema>(schema, document)) : null
  }</dd></div>`;
}

function contentOf(schema: JsonSchema): Html | null {
  const { data } = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return data === undefined ? null : html`: ${typeOf(data)}`;
}

function examples({ method, path, operation }: Placed, document: OpenApiDocument): Html {
  const [body] = Object.entries(operation.requestBody?.content ?? {});
  const [status, response] = Object.entries(operation.responses)[0] ?? ['', { description: '', headers: {} }];
  const { content, headers } = resolved<Response>(response, document);
  const location = headers['Location'];
  const example = content?.['application/json']?.example;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(operation.parameters?.find((parameter) => parameter.name === name)?.example ?? 1),
  );
  return html`<h4>Request</h4>
${curl({
  method: method.toUpperCase(),
  path: filled,
  body: body === undefined ? null : { type: body[0], example: body[1].example },
})}
<h4>Response <span>${status}</span></h4>
${location !== undefined && 'example' in location ? html`<p class="header">Location: ${String(location.example)}</p>` : null}
${example === undefined ? html`<p class="header">no body</p>` : json(example)}`;
}

function resolved<T extends object>(value: T | Reference, document: OpenApiDocument): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') {
    return value as T;
  }
  const keys = value.$ref.replace('#/', '').split('/');
  return keys.reduce<unknown>((inside, key) => (inside as Record<string, unknown>)[key], document) as T;
}
