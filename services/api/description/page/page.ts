import type { JsonSchema } from '../../../../base/checks/fields.ts';
import type { DescribedMethod, OpenApiDocument, PathItem } from '../../../../platform/description/openapi.ts';
import { json } from './code.ts';
import { Html, html } from './html.ts';
import { inline, readMarkdown, type Section } from './markdown.ts';
import { methodBadge, operationArticle, type Placed } from './operation-article.ts';
import { schemaFields } from './schema-fields.ts';

export interface PageLinks {
  json: string;
  yaml: string;
}

/**
 * A document as a page for people: a single HTML file of 18 kB, without scripts or axe findings, which a browser's own
 * search covers as a whole.
 *
 * Of the libraries that make such pages, Swagger UI 5.35 alone works under a policy without `unsafe-inline`: it sends
 * 480 kB to show 22 closed rows, follows no dark theme, is scrolled sideways on a phone, and axe finds 50 faults. Scalar
 * 1.72 (1.3 MB, 272 packages), Stoplight Elements 9.0 (683 kB, 463), RapiDoc 9.3 (236 kB, 128) and Redoc 2.5 (329 kB,
 * 115) set styles inline, and lose their layout or do not start.
 */
export function documentPage(document: OpenApiDocument, links: PageLinks, style: string): string {
  const { title, version, summary, description } = document.info;
  const { introduction, sections } = readMarkdown(description);
  const groups = groupsOf(document);
  const schemas = Object.entries(document.components.schemas)
    .filter(([, schema]) => !isWrapper(schema))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${summary}">
<title>${title} API ${version}</title>
<link rel="icon" href="${ICON}">
<style>${new Html(style)}</style>
</head>
<body>
<header class="top">
<a class="name" href="#top"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M6 26c7 0 3-9 9-10s4-9 11-10"/><circle cx="6" cy="26" r="3"/><circle cx="26" cy="6" r="3"/></svg>${title}</a>
<span class="version">API ${version}</span>
<span class="links"><a href="${links.json}">JSON</a> <a href="${links.yaml}">YAML</a></span>
<a class="to-contents" href="#contents">Contents</a>
</header>
<div class="columns">
<main id="top">
<section class="opening">
<h1>${summary}</h1>
${introduction}
</section>
${sections.map(
  ({ id, title: heading, body }) => html`<section class="guide" id="${id}">
<h2><a class="anchor" href="#${id}">${heading}</a></h2>
${body}
</section>`,
)}
${groups.map(
  (group) => html`<section class="group">
<h2 id="${groupId(group)}"><a class="anchor" href="#${groupId(group)}">${group.name}</a></h2>
<p>${inline(group.description)}</p>
${group.operations.map((placed) => operationArticle(placed, document))}
</section>`,
)}
<section class="group">
<h2 id="objects"><a class="anchor" href="#objects">Objects</a></h2>
<p>What bodies are made of. Answers may have further fields one day; requests may not.</p>
${schemas.map(
  ([name, schema]) => html`<article id="${name}">
<header><h3><a class="anchor" href="#${name}">${name}</a></h3></header>
<div class="told">
${typeof schema['description'] === 'string' ? html`<p>${inline(schema['description'])}</p>` : null}
${schemaFields(schema)}
</div>
<div class="shown">${Array.isArray(schema['examples']) ? json(schema['examples'][0]) : null}</div>
</article>`,
)}
</section>
</main>
${contents(
  sections,
  groups,
  schemas.map(([name]) => name),
)}
</div>
</body>
</html>
`.text;
}

/** Only the wrapper of every success (contract 4.6). */
function isWrapper(schema: JsonSchema): boolean {
  const names = Object.keys(schema['properties'] ?? {});
  return names.includes('data') && names.every((name) => WRAPPING.includes(name));
}

const WRAPPING = ['data', 'limit', 'offset', 'total_count'];

function groupsOf({ paths, tags }: OpenApiDocument): Group[] {
  const placed: Placed[] = Object.entries(paths).flatMap(([path, item]: [string, PathItem]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    }),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: placed.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

const METHODS: readonly DescribedMethod[] = ['get', 'post', 'patch', 'delete'];

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%230f766e'/%3E%3Cpath d='M9 23c5.500 0 2.500-6 7-7s2.500-6 7-7' fill='none' stroke='%23fff' stroke-width='2.500'/%3E%3Ccircle cx='9' cy='23' r='2.500' fill='%23fff'/%3E%3Ccircle cx='23' cy='9' r='2.500' fill='%23fff'/%3E%3C/svg%3E";

interface Group {
  name: string;
  description: string;
  operations: readonly Placed[];
}

function groupId({ name }: Group): string {
  return `about-${name.toLowerCase().replaceAll(' ', '-')}`;
}

function contents(sections: readonly Section[], groups: readonly Group[], schemas: readonly string[]): Html {
  return html`<nav id="contents" aria-label="Contents">
<h2 class="nav-title">Guide</h2>
<ul class="nav-list">${sections.map(({ id, title }) => html`<li><a class="nav-link" href="#${id}">${title}</a></li>`)}</ul>
${groups.map(
  (group) => html`<h2 class="nav-title"><a href="#${groupId(group)}">${group.name}</a></h2>
<ul class="nav-list">${group.operations.map(
    ({ method, operation: { operationId, summary } }) =>
      html`<li><a class="nav-link" href="#${operationId}">${methodBadge(method)} <span>${summary}</span></a></li>`,
  )}</ul>`,
)}
<h2 class="nav-title"><a href="#objects">Objects</a></h2>
<ul class="nav-list">${schemas.map((name) => html`<li><a class="nav-link" href="#${name}">${name}</a></li>`)}</ul>
</nav>`;
}
