import { assetOf } from '../assets.ts'
import type { EventData } from '../deciders.ts'
import type { Ledger } from '../ledger.ts'
import { FIAT_DECIMALS, toDecimal } from '../money.ts'
import type { Policy } from '../policy.ts'
import type { World } from '../ports.ts'
import { Refusal } from '../refusal.ts'

/** Numbers tried when the first is another payment's; two in a row are already beyond all likelihood. */
const NUMBERS_MAX = 8

/** A payment becomes the merchant's transaction when it is first seen (P), and completes when it settles (C): M-REC-03. */
export const recordTransaction: Policy = {
  name: 'record-transaction',
  on: {
    PaymentDetected: ({ at, data }, { ledger, world }) => created(ledger, world, at, data),
    ChallengeSettled: async ({ at, data }, { ledger, world }) => {
      const id = await created(ledger, world, at, data)
      const { tx, from } = data.transfer
      await ledger.transaction.complete(id, { hash: tx, payer: from, confirmedAt: data.settledAt })
    },
  },
}

type Seen = EventData<'PaymentDetected'> | EventData<'ChallengeSettled'>

/** The number is made from the challenge's id, so that a second run meets the transaction of the first. */
const created = async (ledger: Ledger, world: World, at: string, seen: Seen): Promise<string> => {
  for (let n = 0; n < NUMBERS_MAX; n++) {
    const id = String(world.numberFrom('transaction', seen.challengeId, String(n)))
    try {
      await ledger.transaction.create(id, await opening(ledger, at, seen))
      return id
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'id-taken') throw error
    }
  }
  throw new Error(`no free transaction number for ${seen.challengeId}`)
}

const opening = async (ledger: Ledger, at: string, { challengeId, accountId, resId, asset, transfer }: Seen) => {
  const set = await ledger.challenge.read(challengeId.slice(0, challengeId.indexOf('.')))
  if (set.status === 'none') throw new Error(`${challengeId} was paid but never opened`)
  const asked = set.entries.find((entry) => entry.asset === asset)?.amount ?? transfer.amount
  return {
    accountId,
    challengeId,
    resId,
    externalReference: `${resId}.${challengeId}`,
    type: 'resource' as const,
    title: `Resource ${resId}`,
    cryptocurrency: asset,
    amount: toDecimal(BigInt(asked), assetOf(asset)?.decimals ?? 0),
    amountFiat: toDecimal(BigInt(set.amount), FIAT_DECIMALS),
    currency: set.currency,
    hash: transfer.tx,
    payer: transfer.from,
    webhookUrl: set.webhookUrl,
    test: set.test,
    createdAt: at,
  }
}
