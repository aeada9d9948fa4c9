import { z } from 'zod'
import { isEnded, type KeyLimits, type KeyLimitsChange } from '../../../../domain/account/keys/key-limits.ts'
import { sealedName } from '../../../../domain/account/named.ts'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import type { SealedText, Vault, World } from '../../../../domain/kernel/ports.ts'
import { KeyNetworks } from '../../core/bounds/key-networks.ts'

/** Until when a key may call, and from which networks, as callers write and read it (N-99). */

/** What is not given stays as it is; null removes it. */
export const keyLimitFields = {
  ends_at: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time).toISOString())
    .nullable()
    .optional()
    .meta({ description: 'The time from which on the key is refused; null for never.' }),
  networks: KeyNetworks.optional(),
}

type WrittenLimits = { readonly [K in keyof typeof keyLimitFields]?: z.output<(typeof keyLimitFields)[K]> }

export const shownKeyLimits = { ends_at: z.string().nullable(), networks: z.array(z.string()).nullable() }

/** The limits as events have them. */
export const keyLimitsOf = async (
  vault: Vault,
  accountId: string,
  { ends_at: endsAt, networks }: WrittenLimits,
): Promise<KeyLimitsChange> => ({
  endsAt,
  ...(networks !== undefined && {
    networks: await sealedName(vault, accountId, [...new Set(networks)].toSorted().join(' ')),
  }),
})

/** The networks of a key as they are shown; null where it may come from all. */
export const writtenNetworks = async (vault: Vault, sealed: SealedText | null = null): Promise<string[] | null> =>
  sealed === null ? null : (await openedText(vault, sealed)).split(' ')

/** `ended` for a key that is past its end, and else what it is otherwise. */
export const keyStatusOf = <S extends string>(
  key: Pick<KeyLimits, 'endsAt'>,
  world: Pick<World, 'now'>,
  otherwise: S,
): S | 'ended' => (isEnded(key, world.now().toISOString()) ? 'ended' : otherwise)
