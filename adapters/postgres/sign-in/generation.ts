import { unlessColumn } from '../connect.ts'

/** Gives a table of an older version its column for the generation of sessions; a table that has it is left alone. */
export const generationIn = (table: 'sessions' | 'sign_ins'): string =>
  columnIn(table, 'generation', 'integer not null default 0')

/** The same for the column of the account in which a member acts. */
export const accountIn = (table: 'sessions' | 'member_sessions'): string =>
  columnIn(table, 'account_id', "text not null default ''")

const columnIn = (table: string, column: string, type: string): string => {
  const whole = `daybook_signin.${table}`
  return unlessColumn(whole, column, `alter table ${whole} add column ${column} ${type};`)
}
