/**
 * The relayer of one network, as the domain sees it: what it costs, who signed, and whether a payment would go through.
 */

import type { AuthorizationCheck, GaslessToken, Relayer } from '../../domain/gasless/relayer.ts'
import { assetsOn } from '../../domain/kernel/assets.ts'
import type { NetworkChain } from '../../domain/kernel/networks.ts'
import type { Authorization } from '../../domain/selling/authorization-terms.ts'
import { canonicalSignature, recoverPayer } from '../x402/eip3009.ts'
import { chainIdOf } from '../x402/networks.ts'
import { tokenDomainOf } from '../x402/tokens.ts'
import { gasFor, tokenCall } from './calls.ts'
import { faultOf } from './faults.ts'
import type { GasWatch } from './gas-watch.ts'
import type { RelayQueue } from './queue.ts'
import type { Fees, RelayChain } from './relay-chain.ts'
import { feesFor } from './wallet.ts'

/** The end of a signature by a wallet that is not deployed yet (ERC-6492). */
const UNDEPLOYED = '6492649264926492649264926492649264926492649264926492649264926492'

export const createRelayer = (parts: {
  network: string
  chain: NetworkChain
  address: string
  asks: RelayChain
  gas: GasWatch
  queue: RelayQueue
}): Relayer => {
  const { network, chain, address, asks, gas, queue } = parts
  const tokens = gaslessTokensOn(network, chain)
  return {
    network,
    address,
    tokens,
    cost: gas.cost,
    balance: gas.balance,
    signerOf(authorization) {
      const domain = tokenDomainOf(chain.caip2, authorization.contract)
      return domain && recoverPayer(authorization, domain, authorization.signature)
    },
    async check(authorization) {
      const fees = gas.fees()
      if (!fees) throw new Error(`${network}: the price of gas is not known`)
      return check(asks, address, authorization, fees)
    },
    sentIn: queue.sentIn,
  }
}

/** The tokens of a chain that take authorizations, keyed by asset code. */
export const gaslessTokensOn = (network: string, { caip2 }: NetworkChain): ReadonlyMap<string, GaslessToken> =>
  new Map(
    assetsOn(network, caip2).flatMap(({ code, contract }): [string, GaslessToken][] => {
      const domain =
        contract === undefined || chainIdOf(caip2) === undefined ? undefined : tokenDomainOf(caip2, contract)
      return domain && contract !== undefined
        ? [[code, { asset: code, contract, name: domain.name, version: domain.version }]]
        : []
    }),
  )

/**
 * Tries the call as the relayer would send it, at the price of gas that it would pay: the token itself checks what it
 * always checks, and the gas that a payer's code takes is told.
 */
const check = async (
  asks: RelayChain,
  relayer: string,
  authorization: Authorization,
  fees: Fees,
): Promise<AuthorizationCheck> => {
  const { from, contract, value, signature } = authorization
  const [hash, balance] = await Promise.all([asks.codeHash(from), asks.tokenOf(contract, from)])
  const byContract = hash !== undefined
  if (!byContract && signature.endsWith(UNDEPLOYED)) return { fault: 'undeployed-wallet' }
  if (!byContract && canonicalSignature(signature) === undefined) return { fault: 'signature' }
  if (balance < BigInt(value)) return { fault: 'funds' }
  const call = {
    from: relayer,
    ...tokenCall({ authorization, byContract }),
    gas: gasFor([{ byContract }], fees),
    fees: feesFor(fees),
  }
  const called = await asks.call(call)
  if (called.reverted !== undefined) return { fault: faultOf(called.reverted) }
  if (!byContract) return { balance }
  const gas = await asks.gasOf(call)
  // The payer's code answers one call in one way and the next in another.
  return gas === undefined ? { fault: 'simulation' } : { balance, contract: { hash, gas } }
}
