import type { TopUp } from '../../balance/top-up.ts'
import { addDays } from '../../kernel/calendar.ts'
import { PLATFORM } from '../../kernel/platform.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { onceOf } from '../once.ts'
import { openRequest } from '../selling/challenges/open-request.ts'

/** How long a top-up waits for somebody to accept it, and then to be paid. */
const WAITS_DAYS = 1
const EXPIRY = '24h'

/** Starts a top-up: an app sends its user to fund the user's own balance (A-TOP-01). Refuses `amount-not-positive`. */
export const startTopUp = async (
  { ledger, world }: UseCaseContext,
  wish: { clientId: string; amount: bigint; redirectUri: string; appState: string },
): Promise<{ topUpId: string }> => {
  const { amount, ...rest } = wish
  if (amount <= 0n) return refuse('amount-not-positive')
  const topUpId = world.id('tu')
  const expiresAt = addDays(world.now().toISOString(), WAITS_DAYS)
  await ledger.topUp.start(topUpId, { ...rest, amount: String(amount), expiresAt })
  return { topUpId }
}

/**
 * Accepts a top-up for a user: opens the payment request at our own door that funds it, and answers the same request
 * when it is repeated (A-TOP-02). Refuses `top-up-not-found`, `top-up-expired`, `state-forbids` when somebody else has
 * accepted it, `unavailable` without wallets to pay to.
 */
export const acceptTopUp = async (
  flow: UseCaseContext,
  topUpId: string,
  sub: string,
): Promise<{ requestId: string }> => {
  const { ledger, world } = flow
  const topUp = await topUpOf(flow, topUpId)
  if (Object.keys(await ledger.wallet.recent(PLATFORM)).length === 0)
    return refuse('unavailable', 'balances cannot be funded here: the operator has set no PLATFORM_WALLETS')
  const once = onceOf(flow, { accountId: PLATFORM, operation: 'balance-top-up', key: topUpId, body: { sub } })
  const requestId = once.id('pr')
  const expiresAt = addDays(world.now().toISOString(), WAITS_DAYS)
  await ledger.topUp.accept(topUpId, { sub, requestId, expiresAt })
  await openRequest(flow, once, {
    accountId: PLATFORM,
    amount: topUp.amount,
    currency: 'USD',
    asset: null,
    assetAmount: null,
    webhookUrl: null,
    test: false,
    title: 'Daybook balance',
    note: '',
    externalReference: '',
    redirect: homeOf(topUp, topUpId),
    expiry: EXPIRY,
    balanceTopUp: { topUpId },
  })
  return { requestId }
}

/**
 * The URL that sends the user back to the app: its redirect URI with `topup` and the app's `state` (A-TOP-02, Q-15).
 */
export const homeOf = ({ redirectUri, appState }: Pick<TopUp, 'redirectUri' | 'appState'>, topUpId: string): string => {
  const home = new URL(redirectUri)
  home.searchParams.append('topup', topUpId)
  home.searchParams.append('state', appState)
  return home.href
}

/** Refuses `top-up-not-found`. */
export const topUpOf = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, topUpId: string): Promise<TopUp> => {
  const topUp = await ledger.topUp.read(topUpId)
  return topUp.status === 'none' ? refuse('top-up-not-found') : topUp
}
