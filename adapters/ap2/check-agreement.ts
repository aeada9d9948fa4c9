import type { MandateRules } from '../../domain/commerce/mandate-rules.ts'
import type { MandateEvidence } from '../../domain/commerce/session-events.ts'
import { type PlainRefusalCode, Refusal, refuse } from '../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import type { WireSession } from './agreed-terms.ts'
import { signedCompact } from './es256.ts'
import type { Fault, FaultReason } from './fault.ts'
import type { Issuers } from './issuer-key.ts'
import { type Keys, merchantKeyOf, publishedKeys } from './merchant-keys.ts'
import { refuseNewer, ucpAgentOf } from './ucp-agent.ts'
import { headerOf, type MandateVerdict, mandateReference, verifyMandate } from './verify-mandate.ts'

/**
 * The agreement that comes with the completion of a session, checked by the seller's own rules (J-AUTH-08, C-SES-07,
 * C-SES-10 to C-SES-12).
 */

type Agreement = {
  readonly accountId: string
  /** `ap2.checkout_mandate` as it came; undefined where none did. */
  readonly token: string | undefined
  /** What the answers say of the session now. */
  readonly session: WireSession
  readonly nonce: string
  /** The seller's name in `ap2.aud`; it signs the receipt, too. */
  readonly aud: string
  /** Further addresses of the seller, by which a buyer may have allowed it to an agent. */
  readonly seller?: readonly string[]
  /** The header `UCP-Agent` as it came. */
  readonly ucpAgent: string | undefined
  /** The newest version of the protocol that is spoken here. */
  readonly ucpVersion: string
  /** The id that the order will have. */
  readonly orderId: string
}

/**
 * The evidence that is kept of an agreement; null where none came and none is required. Refuses
 * `checkout-mandate-required`, `checkout-mandate-invalid`, `checkout-mandate-expired` and
 * `checkout-mandate-out-of-scope`, the last three with a receipt among their facts. Where the profile of the platform
 * has to be read, refuses as `KeyLists` does, or `protocol-version-unsupported`.
 */
export const checkAgreement = async (flow: UseCaseContext, agreement: Agreement): Promise<MandateEvidence | null> => {
  const { accountId, token, session, nonce, aud, seller = [] } = agreement
  const { mandates: rules } = await flow.ledger.settings.recent(accountId)
  if (token === undefined)
    return rules.require
      ? refuse(
          'checkout-mandate-required',
          'This seller takes orders with a signed agreement alone. Send one as ap2.checkout_mandate.',
        )
      : null
  const issuers = await issuersFor(flow, rules, agreement, token)
  const merchantKeys = await publishedKeys(flow, accountId)
  const now = flow.world.now()
  const verdict = await verifyMandate({
    token,
    now,
    session,
    aud,
    nonce,
    seller,
    merchantKeys,
    issuers,
    strictNonce: false,
  })
  return verdict.ok ? await evidence(flow, agreement, token, verdict) : await refused(flow, agreement, token, verdict)
}

/**
 * The issuers whose keys may have signed the mandate. Only what can matter is read: the lists for the key id that the
 * mandate names, and the platform's profile when no registered issuer has that key.
 */
const issuersFor = async (
  flow: UseCaseContext,
  { accept, issuers }: MandateRules,
  { ucpAgent, ucpVersion }: Agreement,
  token: string,
): Promise<Issuers> => {
  const { kid } = headerOf(token)
  const takes = (tier: MandateRules['accept'][number]) => accept.includes(tier)
  const registered = await Promise.all(
    (takes('registered') && kid !== undefined ? issuers : []).map(async (issuer) => ({
      iss: issuer.iss,
      keys: 'keys' in issuer ? issuer.keys : await flow.keyLists.jwks(issuer.jwksUri, kid ?? ''),
    })),
  )
  const isOwned = registered.some(({ keys }) => keys.some((key) => key.kid === kid))
  const asks = takes('platform') && kid !== undefined && ucpAgent !== undefined && !isOwned
  const platform = asks ? await platformOf(flow, ucpAgent, ucpVersion, kid) : undefined
  return { registered, platform, self: takes('self') }
}

const platformOf = async ({ keyLists }: UseCaseContext, ucpAgent: string, newest: string, kid: string) => {
  const { profile: url, version: named } = ucpAgentOf(ucpAgent) ?? {}
  refuseNewer(named, newest)
  if (url === undefined)
    return refuse('profile-url-invalid', 'UCP-Agent names no profile. Send the header as profile="https://…".')
  const { version, keys } = await keyLists.profile(url, kid)
  refuseNewer(version, newest)
  return { origin: new URL(url).origin, keys }
}

type Good = Extract<MandateVerdict, { ok: true }>
type Bad = Extract<MandateVerdict, { ok: false }>

const evidence = async (
  flow: UseCaseContext,
  agreement: Agreement,
  token: string,
  verdict: Good,
): Promise<MandateEvidence> => {
  const { accountId, aud: iss, orderId } = agreement
  const { tier, issuer = null, keyThumbprint, checkoutHash, reference } = verdict
  const receipt = await checkoutReceipt(flow, accountId, { iss, reference, orderId })
  return { token: await flow.vault.seal(accountId, token), tier, issuer, keyThumbprint, checkoutHash, receipt }
}

const refused = async (
  flow: UseCaseContext,
  { accountId, aud: iss }: Agreement,
  token: string,
  { fault, reason }: Bad,
) => {
  const [code, error, words] = FAULTS[fault]
  const description = `${words} (${reason satisfies FaultReason})`
  const receipt = await checkoutReceipt(flow, accountId, {
    iss,
    reference: mandateReference(token),
    error,
    description,
  })
  throw new Refusal(code, description, undefined, undefined, { checkout_receipt: receipt })
}

const FAULTS: Readonly<Record<Fault, readonly [PlainRefusalCode, 'invalid_credential' | 'invalid_mandate', string]>> = {
  signature: [
    'checkout-mandate-invalid',
    'invalid_credential',
    'The mandate is not what somebody who is trusted has signed',
  ],
  expired: ['checkout-mandate-expired', 'invalid_credential', 'The time of the mandate is over'],
  scope: ['checkout-mandate-out-of-scope', 'invalid_mandate', 'The mandate is not for this seller, session or cart'],
}

/**
 * The receipt that a seller gives for a mandate: that there is an order of it, or why there is none (AP2 0.2, Checkout
 * Receipt).
 */

type ReceiptOf = {
  /** The seller's name in the receipt. */
  readonly iss: string
  /** The hash of the mandate: `mandateReference`. */
  readonly reference: string
} & (
  | { readonly orderId: string }
  | { readonly error: 'invalid_credential' | 'invalid_mandate'; readonly description: string }
)

/**
 * The receipt as a JWT, signed with the key of that time; it is the same for the same facts. Refuses `unavailable` when
 * the key cannot be read.
 */
const checkoutReceipt = async (
  flow: Keys,
  accountId: string,
  receipt: ReceiptOf,
  at = flow.world.now().toISOString(),
): Promise<string> => {
  const { kid, secret } = await merchantKeyOf(flow, accountId, at)
  const { iss, reference } = receipt
  const outcome =
    'orderId' in receipt
      ? { status: 'Success', order_id: receipt.orderId }
      : { status: 'Error', error: receipt.error, error_description: receipt.description }
  const claims = { iss, iat: Math.floor(Date.parse(at) / 1_000), reference, ...outcome }
  return signedCompact(secret, { typ: 'JWT', kid }, JSON.stringify(claims))
}
