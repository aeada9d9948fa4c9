import type { Relayer } from '../../gasless/relayer.ts'
import { networkOf } from '../../kernel/networks.ts'
import type { ChainHead } from '../../kernel/ports.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/**
 * Whether a signed payment whose block was replaced may yet be mined (N-24, N-42): it has not expired by the chain's
 * own time, plus as many blocks as a payment needs there, and its nonce was neither used nor given up. A payment that
 * was never taken here is sent again by nobody that we know. Rejects when the chain does not answer.
 */
export const mayBeCarriedOut = async (
  { ledger, relayers }: { readonly ledger: Ledger; readonly relayers: ReadonlyMap<string, Pick<Relayer, 'check'>> },
  authorizationId: string,
  { minedAt }: ChainHead,
): Promise<boolean> => {
  const known = await ledger.authorization.read(authorizationId)
  if (known.status === 'none') return false
  const { authorization } = known
  const { blockSeconds = 0, confirmations = 0 } = networkOf(authorization.network) ?? {}
  const until = Number(authorization.validBefore) + blockSeconds * confirmations
  if (minedAt !== undefined && Date.parse(minedAt) >= until * 1_000) return false
  const relayer = relayers.get(authorization.network)
  return relayer === undefined || (await relayer.check(authorization)).fault !== 'nonce-used'
}
