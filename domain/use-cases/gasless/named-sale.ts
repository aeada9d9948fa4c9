import { refuse } from '../../kernel/refusal.ts'
import { isClosed, type OpenSet } from '../../selling/challenge-state.ts'
import type { UseCaseContext } from '../context.ts'
import type { ChallengeOffer } from '../selling/challenges/open-challenge.ts'
import { callerName, paymentNamed } from './named-payment.ts'

/**
 * A sale of a resource that a caller gave a name to, so that its repeat is known: the sets of challenges that were
 * opened for the name, one after the other, and the signed payment that has it. Their ids are made from the caller and
 * the name, so that a repeat finds them in every process, and nobody else does.
 */

/** Sets that one name has at most; each is open for half an hour at least. */
const SETS_MAX = 48

/**
 * `sold`: it is paid. `seen`: a payment on a chain waits for its confirmations. `signed`: a signed payment is on its
 * way. `partly`: something came, and the set still takes the rest. `open`: it can be paid by a set of the id `next`.
 */
export type NamedSale =
  | { readonly status: 'sold' | 'seen' | 'signed' }
  | { readonly status: 'partly'; readonly offer: ChallengeOffer }
  | { readonly status: 'open'; readonly next: string }

/** What became of a sale that a caller named; `caller` has the network, the program and the name. */
export const namedSale = async (flow: UseCaseContext, resId: string, caller: string): Promise<NamedSale> => {
  const { ledger, vault, world } = flow
  const signed = await paymentNamed(flow, callerName(flow, resId, caller))
  if (signed) return { status: signed.authorization.status === 'settled' ? 'sold' : 'signed' }
  const seed = vault.fingerprint('named-sale', JSON.stringify([resId, caller]))
  let last: (ChallengeOffer & OpenSet) | undefined
  for (let n = 0; n < SETS_MAX; n++) {
    const setId = world.idFrom('ch', 'named-sale', seed, String(n))
    const set = await ledger.challenge.read(setId)
    if (set.status === 'none')
      return isPartly(last, world.now()) ? { status: 'partly', offer: last } : { status: 'open', next: setId }
    const paid = progressOf(set)
    if (paid) return { status: paid }
    last = { ...set, setId }
  }
  return refuse('idempotency-conflict', 'This Idempotency-Key was asked for too often: take another one.')
}

const progressOf = (set: OpenSet): 'sold' | 'seen' | 'signed' | undefined => {
  const waits = (by: object) => Object.keys(by).some((asset) => !isClosed(set, asset))
  if (Object.keys(set.settled).length > 0) return 'sold'
  if (waits(set.detected)) return 'seen'
  return waits(set.reserved) ? 'signed' : undefined
}

const isPartly = <S extends ChallengeOffer & OpenSet>(set: S | undefined, now: Date): set is S =>
  set !== undefined && Object.keys(set.parts).length > 0 && now.toISOString() < set.expiresAt
