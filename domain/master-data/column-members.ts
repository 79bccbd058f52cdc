import { type Field, flag, jsonObject, text } from '../../base/checks/fields.ts';
import { mandatory, nullable, optional, type Writable } from '../../base/checks/members.ts';
import { timestamp } from '../../base/checks/time-field.ts';
import { type Column, type Columns, REQUIRED, type SaidValue } from './columns.ts';

type NewMembers<C extends Columns> = {
  -readonly [Name in keyof C]: Writable<
    SaidValue<C[Name]> | (C[Name]['otherwise'] extends typeof REQUIRED ? never : undefined)
  >;
};

type ChangeMembers<C extends Columns> = {
  -readonly [Name in keyof C]: Writable<SaidValue<C[Name]> | undefined>;
};

type CellMembers<C extends Columns> = {
  -readonly [Name in keyof C]: Writable<NonNullable<SaidValue<C[Name]>> | undefined>;
};

export function newMembers<C extends Columns>(columns: C): NewMembers<C> {
  return membersOf(columns, (column) =>
    column.otherwise === REQUIRED ? mandatory(fieldOf(column)) : changeMember(column),
  ) as NewMembers<C>;
}

export function changeMembers<C extends Columns>(columns: C): ChangeMembers<C> {
  return membersOf(columns, changeMember) as ChangeMembers<C>;
}

/** Empty CSV cells are absent, so none is null. */
export function cellMembers<C extends Columns>(columns: C): CellMembers<C> {
  return membersOf(columns, (column) => optional(fieldOf(column))) as CellMembers<C>;
}

function membersOf(columns: Columns, memberOf: (column: Column) => Writable<unknown>): object {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, memberOf(column)]));
}

function changeMember(column: Column): Writable<unknown> {
  return column.otherwise === null ? nullable(fieldOf(column)) : optional(fieldOf(column));
}

function fieldOf(column: Column): Field<unknown> {
  return column.type === 'text' ? text(column.most) : FIELDS[column.type];
}

const FIELDS = { flag, time: timestamp, json: jsonObject };

/** Members in the order of wire and CSV: location members follow the description. */
export function behindDescription<M extends { description: unknown }, Where extends object>(
  members: M,
  where: Where,
): M & Where {
  const all = Object.entries(members);
  const behind = all.findIndex(([name]) => name === 'description') + 1;
  const ordered = [...all.slice(0, behind), ...Object.entries(where), ...all.slice(behind)];
  return Object.fromEntries(ordered) as M & Where;
}
