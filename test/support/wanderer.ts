/** A browser as far as redirects and cookies go: each origin has its own. */
export class Wanderer {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Follows redirects. @returns every address it was sent to, and the headers of the last answer. */
  async go(
    url: string,
    isEnd = (_: string) => false,
  ): Promise<{ way: string[]; status: number; setCookies: string[] }> {
    const way = [url];
    for (;;) {
      const at = way.at(-1) ?? '';
      const response = await this.fetch(at);
      const location = response.headers.get('location');
      if (location === null || way.length > 12) {
        return { way, status: response.status, setCookies: response.headers.getSetCookie() };
      }
      way.push(new URL(location, at).href);
      if (isEnd(way.at(-1) ?? '')) {
        return { way, status: response.status, setCookies: response.headers.getSetCookie() };
      }
    }
  }

  async fetch(url: string): Promise<Response> {
    const { origin } = new URL(url);
    const own = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, own);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...own].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') {
        own.delete(name);
      } else {
        own.set(name, value);
      }
    }
    return response;
  }
}
