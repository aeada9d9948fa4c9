import { chargedFor } from '../../card/minor-units.ts'
import type { CardKeys, CardMode } from '../../card/ports.ts'
import type { ConnectedProcessor } from '../../card/processor.ts'
import type { Units } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'

/** The card processor of a seller: how it is verified, kept and used (J-CARD-03, J-CARD-04). */

/**
 * The id in the URL that the processor reports to. It tells nobody who the seller is, and is known before there are
 * keys.
 */
const hookIdOf = ({ world }: Pick<UseCaseContext, 'world'>, accountId: string): string =>
  world.idFrom('hook', 'card', accountId)

export const hookUrl = (flow: Pick<UseCaseContext, 'world' | 'origins'>, accountId: string): string =>
  `${flow.origins.base}/hooks/card/${hookIdOf(flow, accountId)}`

/**
 * Connects a processor, once the processor itself has accepted the keys. `leave` is called before another key replaces
 * the present one. Refuses `card-processor-invalid`, and `unavailable` when the processor cannot be asked.
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

/** Forgets a seller's processor; `leave` is called while it can still be asked. */
export const disconnectProcessor = async (
  flow: UseCaseContext,
  accountId: string,
  leave: () => Promise<void>,
): Promise<void> => {
  if ((await processorOf(flow, accountId)) !== undefined) await leave()
  await flow.ledger.cardProcessor.disconnect(accountId, {})
}

/** A secret as it may be shown, such as `sk_live_...1234`: its kind and its last four characters. */
const masked = (secret: string, kind: RegExp): string => `${kind.exec(secret)?.[0] ?? ''}...${secret.slice(-4)}`

/** The mode of the processor that a seller takes cards with; undefined when the seller takes none. */
export const cardModeOf = async ({ cardProcessor }: Pick<Ledger, 'cardProcessor'>, accountId: string) => {
  const processor = await cardProcessor.recent(accountId)
  return processor.status === 'connected' ? processor.mode : undefined
}

/** Whether a seller takes cards in the mode of this sale, and the processor can count the price. */
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

/**
 * The processor of a payment's seller, in the payment's mode; undefined when the seller no longer has one in that mode.
 */
export const processorFor = (flow: Pick<UseCaseContext, 'ledger' | 'vault'>, { accountId, test }: ProcessorOwner) =>
  processorOf(flow, accountId, modeFor(test))

/** The same processor, for what cannot be done without it. Refuses `unavailable`. */
export const connectedFor = async (
  flow: Pick<UseCaseContext, 'ledger' | 'vault'>,
  paid: ProcessorOwner,
): Promise<UsedProcessor> =>
  (await processorFor(flow, paid)) ??
  refuse(
    'unavailable',
    'The card processor of this payment is not connected any more. Connect it again by POST /v1/card-processor.',
  )

/** The mode of the keys for a sale: live money needs live keys, and a test needs test keys. */
export const modeFor = (test: boolean): CardMode => (test ? 'test' : 'live')
