/** A broker that readers and ingestion connect to, that can be killed; or several nodes. */
export interface Broker {
  /** Where the next connection leads. */
  readonly port: number;
  /** Resolves when connections are accepted, with what was saved before. */
  start(): Promise<void>;
  /** As a machine that loses power; of several nodes, one after the other. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}
