import { createTables, type Sql } from './connect.ts'

/**
 * The bytes of pictures that sellers uploaded (S-SITE-07). They lie beside the log: a replay does not bring them back,
 * so they are backed up with the data keys. The log says which there are, and how many each account may have.
 */
export type Pictures = Awaited<ReturnType<typeof createPictures>>

const TABLES = `
  create schema if not exists daybook_media;
  create table if not exists daybook_media.pictures (
    id text primary key,
    account_id text not null,
    bytes bytea not null,
    created_at timestamptz not null default now()
  );
  create index if not exists pictures_by_account on daybook_media.pictures (account_id);
`

export const createPictures = async (sql: Sql) => {
  await createTables(sql, TABLES)
  return {
    /** Keeps a picture once; it is on disk before anybody is told its address. */
    async keep(accountId: string, id: string, bytes: Buffer): Promise<void> {
      await sql.begin(async (tx) => {
        await tx`set local synchronous_commit = on`
        await tx`
          insert into daybook_media.pictures (id, account_id, bytes) values (${id}, ${accountId}, ${bytes})
          on conflict do nothing`
      })
    },

    async bytesOf(id: string): Promise<Buffer | undefined> {
      const [row] = await sql<{ bytes: Buffer }[]>`select bytes from daybook_media.pictures where id = ${id}`
      return row?.bytes
    },

    /** Deletes what an account uploaded, when the account is erased. */
    async forgetAll(accountId: string): Promise<void> {
      await sql`delete from daybook_media.pictures where account_id = ${accountId}`
    },
  }
}
