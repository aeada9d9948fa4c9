import type { SealedText } from '../../../domain/kernel/ports.ts'
import type { Sql } from '../connect.ts'

/**
 * When and from which network each owner key was last used. It lies beside the log, because a key that is used all day
 * is nothing that the books have to remember; a restored installation begins anew.
 */

export const OWNER_KEY_USE_TABLE = `
  create table if not exists daybook_signin.owner_key_uses (
    key_id text primary key,
    account_id text not null,
    used_at timestamptz not null,
    network text not null
  );
  create index if not exists owner_key_uses_by_account on daybook_signin.owner_key_uses (account_id);
`

/** `network` is sealed for the account. */
export type OwnerKeyUse = { readonly keyId: string; readonly usedAt: Date; readonly network: SealedText }

/** A use is noted once in this time, however often the key is used from one network. */
const SAME_NETWORK_MS = 5 * 60_000
/** From another network it is noted sooner: that is what the owner of a stolen key looks for. */
const OTHER_NETWORK_MS = 30_000
/** Keys that a process remembers having noted. */
const REMEMBERED_MAX = 10_000

type KeyUse = { readonly accountId: string; readonly keyId: string; readonly network: string; readonly at: Date }

export const ownerKeyUseRows = (sql: Sql) => {
  const noted = new Map<string, { at: number; network: string }>()
  const isDue = ({ keyId, network, at }: KeyUse): boolean => {
    const last = noted.get(keyId)
    if (last === undefined) return true
    return at.getTime() - last.at >= (last.network === network ? SAME_NETWORK_MS : OTHER_NETWORK_MS)
  }
  return {
    /** Writes a use down unless that was done a moment ago; `seal` is called only then. */
    async noteUse(use: KeyUse, seal: (network: string) => Promise<SealedText>): Promise<void> {
      if (!isDue(use)) return
      if (noted.size >= REMEMBERED_MAX) noted.clear()
      noted.set(use.keyId, { at: use.at.getTime(), network: use.network })
      const at = use.at.toISOString()
      await sql`
        insert into daybook_signin.owner_key_uses as known (key_id, account_id, used_at, network)
        values (${use.keyId}, ${use.accountId}, ${at}, ${await seal(use.network)})
        on conflict (key_id) do update set used_at = excluded.used_at, network = excluded.network
          where known.used_at <= excluded.used_at`
    },
    async ownerKeyUses(accountId: string): Promise<readonly OwnerKeyUse[]> {
      return sql<OwnerKeyUse[]>`
        select key_id as "keyId", used_at as "usedAt", network from daybook_signin.owner_key_uses
        where account_id = ${accountId} order by used_at desc limit ${LISTED_MAX}`
    },
  }
}

const LISTED_MAX = 100
