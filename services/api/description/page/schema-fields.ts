import type { JsonSchema } from '../../../../base/checks/fields.ts';
import { type Html, html } from './html.ts';
import { inline } from './markdown.ts';

export function schemaFields(schema: JsonSchema): Html {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const required = (schema['required'] ?? []) as readonly string[];
  // Answers have all their fields: required ones are marked only if some are optional.
  const isAlways = required.length === properties.length;
  return html`<dl class="fields">${properties.map(([name, property]) =>
    field(name, property, !isAlways && required.includes(name) ? 'required' : null),
  )}</dl>`;
}

export function field(name: string, schema: JsonSchema, mark: string | null, description?: string): Html {
  const meaning = description ?? schema['description'];
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    mark === null ? null : html` <span class="mark">${mark}</span>`
  }${schema['readOnly'] === true ? html` <span class="mark soft">read-only</span>` : null}</dt>
<dd>${typeof meaning === 'string' ? inline(meaning) : null}${details(schema)}</dd></div>`;
}

export function typeOf(schema: JsonSchema): Html {
  const { $ref, type, items, format } = schema;
  if (typeof $ref === 'string') {
    return reference($ref);
  }
  if (items !== undefined) {
    return html`array of ${typeOf(items as JsonSchema)}`;
  }
  const name = format === 'date-time' ? 'timestamp' : null;
  const types = [type].flat().map((each) => (each === 'string' && name !== null ? name : String(each)));
  return html`${types.join(' or ')}`;
}

export function reference($ref: string): Html {
  const name = $ref.split('/').at(-1) ?? '';
  return html`<a href="#${name}">${name}</a>`;
}

function patternOf(pattern: string): Html {
  return pattern.startsWith('^[^\\u0000') ? html`no control characters` : html`<code>${pattern}</code>`;
}

function details(schema: JsonSchema): Html | null {
  const {
    minimum,
    maximum,
    minLength,
    maxLength,
    pattern,
    enum: closed,
    default: initial,
    items,
    format,
  } = schema;
  const open = schema['x-extensible-enum'];
  const values = (closed ?? open) as readonly string[] | undefined;
  const facts = [
    minimum === undefined ? null : maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`,
    schema['maxItems'] === undefined ? null : `at most ${schema['maxItems']} items`,
    maxLength === undefined ? null : `${minLength ?? 0} to ${maxLength} characters`,
    typeof pattern === 'string' && format === undefined ? html`${patternOf(pattern)}` : null,
    values === undefined
      ? null
      : html`${open === undefined ? 'one of' : 'today one of'} ${values.map((value, index) => html`${index === 0 ? null : ', '}<code>${value}</code>`)}`,
    initial === undefined ? null : html`default <code>${String(initial)}</code>`,
  ].filter((fact) => fact !== null);
  if (facts.length === 0) {
    return items === undefined ? null : details(items as JsonSchema);
  }
  return html`<small>${facts.map((fact, index) => html`${index === 0 ? null : ' · '}${fact}`)}</small>`;
}
