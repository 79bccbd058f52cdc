import type { CommonQueryMethods, DatabasePool, QuerySqlToken } from 'slonik';

/** How queries are sent, and for which organization. Every query names `orgId`. */
export interface OrganizationConnection
  extends Pick<CommonQueryMethods, 'any' | 'exists' | 'maybeOne' | 'maybeOneFirst' | 'one' | 'query'> {
  readonly orgId: number;
}

/**
 * The database as one request sees it: bound to the organization that asks. Handlers have no other way to it, so
 * what is to hold for every statement of an organization is done here.
 */
export interface OrganizationDatabase extends OrganizationConnection {
  transaction<Result>(work: (transaction: OrganizationConnection) => Promise<Result>): Promise<Result>;
}

export function bindToOrganization(pool: DatabasePool, orgId: number): OrganizationDatabase {
  return {
    ...bind(pool, orgId),
    transaction: (work) => pool.transaction((transaction) => work(bind(transaction, orgId))),
  };
}

function bind(methods: CommonQueryMethods, orgId: number): OrganizationConnection {
  return {
    orgId,
    any: methods.any.bind(methods),
    exists: methods.exists.bind(methods),
    maybeOne: methods.maybeOne.bind(methods),
    maybeOneFirst: methods.maybeOneFirst.bind(methods),
    one: methods.one.bind(methods),
    query: methods.query.bind(methods),
  };
}

/**
 * The type of a query's rows, for `sql.type` and `sql.prepared`. The schema and the query are written side by side
 * and tested on the database, so rows are not validated again one by one.
 */
export function rowsOf<Row>(): RowType<Row> {
  return PASS as RowType<Row>;
}

type RowType<Row> = QuerySqlToken['parser'] & {
  readonly '~standard': { readonly types?: { readonly input: Row; readonly output: Row } | undefined };
};

const PASS: QuerySqlToken['parser'] = {
  '~standard': { version: 1, vendor: 'tagtrail', validate: (value) => ({ value }) },
};
