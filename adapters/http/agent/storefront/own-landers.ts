import type { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { isNamed, numberNamed } from '../../../../domain/selling/checkout.ts'
import { type Lander, type LanderTemplate, landerFor, landerOf } from '../../../../domain/storefront/landers.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { landerSlots } from '../../../../domain/use-cases/storefront/lander-slots.ts'
import { inScope } from '../../core/actor.ts'
import type { Actor } from '../../core/endpoint.ts'
import { givenFacts, type LanderEdit } from './lander-shape.ts'

/**
 * What a seller does with its landing pages. A lander belongs to the store of its payment link, wherever that moves
 * (J-AUTH-04).
 */

/**
 * Answers its number. Refuses `lander-not-found`, also for a payment link that was deleted, and `no-free-lander-slots`
 * (S-LAN-03, S-LAN-04).
 */
export const createLander = async (
  flow: UseCaseContext,
  actor: Actor,
  named: string,
  tpl: LanderTemplate,
): Promise<number> => {
  const { ledger } = flow
  const { accountId } = actor
  const checkoutId = numberNamed(named) ?? noLander()
  const checkout = await ledger.checkout.read(checkoutId)
  if (checkout.status !== 'saved' || checkout.accountId !== accountId || !isNamed(checkout, named)) return noLander()
  if (!inScope(actor, checkout.storeId)) return noLander()
  const slots = await landerSlots(flow, accountId)
  const { state } = await ledger.landers.create(accountId, { checkoutId, tpl, slots })
  return landerFor(state, checkoutId)?.landerId ?? noLander()
}

export const editLander = async (
  { ledger }: UseCaseContext,
  actor: Actor,
  landerId: number,
  edit: z.output<typeof LanderEdit>,
): Promise<void> => {
  await ownLander(ledger, actor, landerId)
  await ledger.landers.change(actor.accountId, { landerId, facts: givenFacts(edit) })
}

export const deleteLander = async ({ ledger }: UseCaseContext, actor: Actor, landerId: number): Promise<void> => {
  await ownLander(ledger, actor, landerId)
  await ledger.landers.delete(actor.accountId, { landerId })
}

export const noLander = (): never => refuse('lander-not-found', 'This is not a lander.')

/** A lander that the key may touch, also when its payment link was deleted. */
const ownLander = async (ledger: UseCaseContext['ledger'], actor: Actor, landerId: number): Promise<Lander> => {
  const lander = landerOf(await ledger.landers.read(actor.accountId), landerId)
  if (actor.storeScope === undefined) return lander
  const checkout = await ledger.checkout.read(lander.checkoutId)
  return checkout.status !== 'none' && inScope(actor, checkout.storeId) ? lander : noLander()
}
