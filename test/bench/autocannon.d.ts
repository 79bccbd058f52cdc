/** What is used of autocannon, which brings no types of its own. */
declare module 'autocannon' {
  export interface Options {
    url: string;
    connections: number;
    duration: number;
    requests: readonly { method: string; path: string; headers: Readonly<Record<string, string>> }[];
  }

  export interface Instance extends Promise<Result> {
    /** @param listener gets, last, the response time in milliseconds. */
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, responseTime: number) => void,
    ): this;
  }

  export interface Result {
    /** Seconds. */
    duration: number;
    errors: number;
    timeouts: number;
    non2xx: number;
  }

  export default function autocannon(options: Options): Instance;
}
