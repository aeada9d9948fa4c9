import { completeIntent, confirmIntent, createIntent } from '../../domain/use-cases/balance/intent.ts'
import { approveMandate, createMandate, debitMandate } from '../../domain/use-cases/balance/mandate.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'

/** Money of users and apps, moved by the flows themselves, for tests of what follows from it. */

const ways = { redirectUri: 'https://app.test/cb', appState: 'state-of-the-app' }

/** A payment from its making to its completion. @returns what the app knows of it */
export const payIntent = async (
  flow: UseCaseContext,
  { sub, clientId, amount }: { sub: string; clientId: string; amount: bigint },
) => {
  const wish = { sub, clientId, amount, description: 'Tea', idempotencyKey: undefined, ...ways }
  const { intentId } = await createIntent(flow, wish)
  const { code } = await confirmIntent(flow, intentId, { amr: ['pwd', 'otp'] })
  return { intentId, ...(await completeIntent(flow, { clientId, intentId, code })) }
}

/** An approved standing order of up to 10 dollars a debit and 50 in all. */
export const standingOrder = async (flow: UseCaseContext, { sub, clientId }: { sub: string; clientId: string }) => {
  const caps = { perDebitCap: 10_000_000n, lifetimeCap: 50_000_000n, cooldown: 'none' } as const
  const adhoc = { mode: 'adhoc', schedAmount: null, schedInterval: null } as const
  const texts = { description: 'Tea club', idempotencyKey: undefined }
  const { mandateId } = await createMandate(flow, { sub, clientId, ...caps, ...adhoc, ...texts, ...ways })
  await approveMandate(flow, mandateId)
  const debit = (amount: bigint, idempotencyKey: string) =>
    debitMandate(flow, { clientId, mandateId, amount, description: 'Tea of the week', idempotencyKey })
  return { mandateId, debit }
}
