import { chargedFor } from '../../card/minor-units.ts'
import type { CardKeys, CardMode } from '../../card/ports.ts'
import type { ConnectedProcessor } from '../../card/processor.ts'
import type { Units } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'

/** The card processor of a seller: found good, kept, and used (J-CARD-03, J-CARD-04). */

/** Where the processor reports to. It names the seller to nobody, and is known before there are any keys. */
const hookIdOf = ({ world }: Pick<UseCaseContext, 'world'>, accountId: string): string =>
  world.idFrom('hook', 'card', accountId)

export const hookUrl = (flow: Pick<UseCaseContext, 'world' | 'origins'>, accountId: string): string =>
  `${flow.origins.base}/hooks/card/${hookIdOf(flow, accountId)}`

/**
 * Keeps nothing that the processor does not know. `leave` is called before another key takes the place of the one there
 * is. Refuses `card-processor-invalid`, and `unavailable` when it cannot be asked.
 */
export const connectProcessor = async (
  flow: UseCaseContext,
  accountId: string,
  keys: CardKeys,
  leave: () => Promise<void>,
): Promise<{ connected: ConnectedProcessor; warnings: readonly string[] }> => {
  const { vault, ledger, cards } = flow
  const { mode, warnings } = await cards.verify(keys, hookUrl(flow, accountId))
  const { secretKey, webhookSecret, productId, publishableKey } = keys
  const before = await processorOf(flow, accountId)
  if (before !== undefined && before.secretKey !== secretKey) await leave()
  const text = JSON.stringify({ secretKey, webhookSecret })
  const { state } = await ledger.cardProcessor.connect(accountId, {
    secrets: await vault.seal(accountId, text),
    fingerprint: vault.fingerprint('card-processor', JSON.stringify([accountId, text, productId, publishableKey])),
    secretKeyHint: masked(secretKey, /^[a-z]+_[a-z]+_/),
    webhookSecretHint: masked(webhookSecret, /^[a-z]+_/),
    productId,
    publishableKey,
    mode,
    hookId: hookIdOf(flow, accountId),
  })
  return { connected: state.status === 'connected' ? state : refuse('internal'), warnings }
}

/** Forgets it; `leave` is called while it can still be asked. */
export const disconnectProcessor = async (
  flow: UseCaseContext,
  accountId: string,
  leave: () => Promise<void>,
): Promise<void> => {
  if ((await processorOf(flow, accountId)) !== undefined) await leave()
  await flow.ledger.cardProcessor.disconnect(accountId, {})
}

/** `sk_live_...1234`: what kind it is, and its last four characters. */
const masked = (secret: string, kind: RegExp): string => `${kind.exec(secret)?.[0] ?? ''}...${secret.slice(-4)}`

/** The mode of what a seller takes cards with; undefined when it takes none. */
export const cardModeOf = async ({ cardProcessor }: Pick<Ledger, 'cardProcessor'>, accountId: string) => {
  const processor = await cardProcessor.recent(accountId)
  return processor.status === 'connected' ? processor.mode : undefined
}

/** Whether a seller takes cards for such money, and the processor can count the price. */
export const takesCard = async (
  ledger: Pick<Ledger, 'cardProcessor'>,
  accountId: string,
  { amount, currency, test }: { readonly amount: Units; readonly currency: string; readonly test: boolean },
): Promise<boolean> =>
  chargedFor(amount, currency) !== undefined && (await cardModeOf(ledger, accountId)) === modeFor(test)

export type UsedProcessor = { readonly secretKey: string; readonly webhookSecret: string; readonly productId: string }

/** The keys of a seller's processor, opened; undefined when it has none, or none of this mode. */
export const processorOf = async (
  { ledger, vault }: Pick<UseCaseContext, 'ledger' | 'vault'>,
  accountId: string,
  mode?: CardMode,
): Promise<UsedProcessor | undefined> => {
  const processor = await ledger.cardProcessor.read(accountId)
  if (processor.status === 'none' || (mode !== undefined && processor.mode !== mode)) return undefined
  const text = await vault.open(processor.secrets)
  if (text === undefined) return undefined
  const secrets = JSON.parse(text) as Pick<UsedProcessor, 'secretKey' | 'webhookSecret'>
  return { ...secrets, productId: processor.productId }
}

type ProcessorOwner = { readonly accountId: string; readonly test: boolean }

/** That of the seller of a payment, in its mode; undefined when the seller has none such, any more. */
export const processorFor = (flow: Pick<UseCaseContext, 'ledger' | 'vault'>, { accountId, test }: ProcessorOwner) =>
  processorOf(flow, accountId, modeFor(test))

/** The same for what nobody can do without it. Refuses `unavailable`. */
export const connectedFor = async (
  flow: Pick<UseCaseContext, 'ledger' | 'vault'>,
  paid: ProcessorOwner,
): Promise<UsedProcessor> =>
  (await processorFor(flow, paid)) ??
  refuse('unavailable', 'The card processor of this payment is not connected any more.')

/** Live money by live keys, and a test by those of tests. */
export const modeFor = (test: boolean): CardMode => (test ? 'test' : 'live')
