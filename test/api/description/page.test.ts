import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { OpenApiDocument } from '../../../platform/description/openapi.ts';
import { describePublicApi } from '../../../services/api/description/document.ts';
import { inline, readMarkdown } from '../../../services/api/description/page/markdown.ts';
import { documentPage } from '../../../services/api/description/page/page.ts';
import { API_RESOURCES } from '../../../services/api/routes.ts';
import { useApi } from '../../support/api.ts';

describe('the page for people', () => {
  const api = useApi();
  let page: string;
  let policy: Map<string, string>;
  let document: OpenApiDocument;

  before(async () => {
    const response = await fetch(`${api.url}/api/docs`);
    page = await response.text();
    const directives = response.headers.get('content-security-policy')?.split('; ') ?? [];
    policy = new Map(directives.map((directive) => directive.split(/ (.*)/, 2) as [string, string]));
    document = describePublicApi(API_RESOURCES, { publicUrl: null, limits: { perMinute: 60, burst: 120 } });
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('has commands for the address that clients are told, and for this machine if none is', () => {
    const links = { json: '/api/openapi.json', yaml: '/api/openapi.yaml' };
    const at = (publicUrl: string | null) =>
      documentPage(
        describePublicApi(API_RESOURCES, { publicUrl, limits: { perMinute: 60, burst: 120 } }),
        links,
        '',
      );
    const told = at('https://assets.example.com/tracking/');
    expect(told).to.include('BASE_URL=https://assets.example.com/tracking\n').and.not.include('127.0.0.1');
    expect(at(null)).to.include('BASE_URL=http://127.0.0.1:8080\n');
  });

  it('may load and run nothing but its own style', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(Object.fromEntries(policy)).to.deep.equal({
      'default-src': "'none'",
      'style-src': `'sha256-${digest}'`,
      'img-src': 'data:',
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
  });

  it('needs nothing more than that', () => {
    const body = page.replace(/<style>[\s\S]*?<\/style>/, '');
    expect(body).not.to.match(/<script|<iframe|<form|<img|<object| style=| on\w+=/i);
    const outside = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(outside.filter((address) => !/^(#|\/api\/|data:image\/svg)/.test(address))).to.deep.equal([]);
    expect(page).not.to.match(/@import|@font-face|url\(/);
  });

  it('has every operation and every object, with a command for each operation', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { operationId, summary }] of Object.entries(item)) {
        expect(page).to.include(`<article id="${operationId}">`).and.to.include(summary);
        expect(page, `${method} ${path}`).to.include(
          `$BASE_URL${path
            .replace('{asset_id}', '17')
            .replace('{location_id}', '4')
            .replace('{tag_id}', '31')
            .replace('{alert_id}', '01KQSB3M8R0E5T9V2W4X6Y8Z1B')}`,
        );
      }
    }
    for (const name of ['Asset', 'Location', 'Tag', 'Error', 'NewAsset', 'AssetPatch']) {
      expect(page).to.include(`<article id="${name}">`);
    }
  });

  it('explains authentication, errors, limits and paging', () => {
    for (const id of ['authentication', 'errors', 'rate-limits-and-sizes', 'paging-and-sorting']) {
      expect(page).to.include(`<section class="guide" id="${id}">`);
    }
    expect(page).to.include('<code>ambiguous_fields</code>').and.to.include('<code>rate_limited</code>');
  });

  it('has no link that leads nowhere, and no place twice', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(ids).to.have.length(new Set(ids).size);
    expect(links.filter((id) => !ids.includes(id))).to.deep.equal([]);
  });

  it('opens no tag that it does not close', () => {
    const open: string[] = [];
    const elements = page.replace(/<style>[\s\S]*?<\/style>/, '').matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g);
    for (const [tag, closing, name = '', self] of elements) {
      if (closing === '/') {
        expect(open.pop(), tag).to.equal(name);
      } else if (self === '' && !['meta', 'link'].includes(name)) {
        open.push(name);
      }
    }
    expect(open).to.deep.equal([]);
  });

  it('shows text as text, whatever is in it', () => {
    const hostile = '<script>alert("1")</script>';
    const [path = '', item] = Object.entries(document.paths)[0] ?? [];
    const changed = {
      ...document,
      info: {
        ...document.info,
        summary: hostile,
        description: `${hostile}\n\n## ${hostile}\n\n| ${hostile} |\n|---|`,
      },
      tags: [{ name: 'Assets', description: hostile }],
      paths: { [path]: { get: { ...item?.get, summary: hostile, description: hostile } } },
    } as OpenApiDocument;
    const text = documentPage(changed, { json: '/a', yaml: '/b' }, '');
    expect(text).not.to.include('<script');
    expect(text.split(/&(?:#60|lt);script&(?:#62|gt);/)).to.have.length.above(6);
  });
});

describe('the Markdown of the description', () => {
  it('has paragraphs, lists, tables and code, in sections', () => {
    const { introduction, sections } = readMarkdown(
      'One\ntwo.\n\n## A b\n\n- first\n  goes on\n- second\n\n| x | y |\n|---|---|\n| 1 | `2` |\n\n```sh\na\n\n- b\n```\n',
    );
    expect(introduction.text.trim()).to.equal('<p>One\ntwo.</p>');
    expect(sections.map(({ id, title }) => [id, title])).to.deep.equal([['a-b', 'A b']]);
    const [{ body } = { body: introduction }] = sections;
    expect(body.text).to.include('<ul>\n<li>first\ngoes on</li>\n<li>second</li>\n</ul>');
    expect(body.text).to.include('<th scope="col">x</th>').and.to.include('<td><code>2</code></td>');
    expect(body.text).to.include('<pre tabindex="0"><code>a\n\n- b</code></pre>');
  });

  it('has no HTML: that is text', () => {
    expect(inline('a <b>c</b>').text).to.equal('a &lt;b&gt;c&lt;/b&gt;');
    expect(readMarkdown('<b>\n\nc').introduction.text).to.include('<p>&lt;b&gt;</p>');
  });

  it('has headings in code that begin no section', () => {
    const { sections } = readMarkdown('## A\n\n```sh\n## b\n```\n');
    expect(sections.map(({ title }) => title)).to.deep.equal(['A']);
  });

  it('has code, bold and links in a line', () => {
    expect(inline('a `b**` **c** [d](https://e)').text).to.equal(
      'a <code>b**</code> <strong>c</strong> <a href="https://e">d</a>',
    );
  });
});
