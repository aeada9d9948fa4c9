/** Gives a table of an older version its column for the generation of sessions; a table that has it is left alone. */
export const generationIn = (table: 'sessions' | 'sign_ins'): string => `
  do $$ begin
    if not exists (
      select from information_schema.columns
      where table_schema = 'daybook_signin' and table_name = '${table}' and column_name = 'generation'
    ) then
      alter table daybook_signin.${table} add column generation integer not null default 0;
    end if;
  end $$;
`
