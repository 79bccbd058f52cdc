/** A broker that readers and ingestion connect to, that can be killed. */
export interface Broker {
  /** Where connections lead. */
  readonly port: number;
  /** Resolves when connections are accepted, with what was saved before. */
  start(): Promise<void>;
  /** As a machine that loses power. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}
