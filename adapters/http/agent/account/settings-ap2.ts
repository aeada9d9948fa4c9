import { z } from 'zod'
import { DEFAULT_MANDATE_RULES, type MandateRules } from '../../../../domain/commerce/mandate-rules.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { isUsableKey } from '../../../ap2/public-key.ts'

/** The settings that say whose signed agreements a seller takes (J-AUTH-08, N-44). */

const ISSUERS_MAX = 20
const KEYS_MAX = 10
const NAME_MAX = 500
const KEY_ID_MAX = 200
const URL_MAX = 2_048

const Coordinate = z.string().regex(/^[A-Za-z0-9_-]{43,88}$/)
const Key = z.strictObject({
  kty: z.literal('EC'),
  crv: z.enum(['P-256', 'P-384', 'P-521']),
  x: Coordinate,
  y: Coordinate,
  kid: z.string().min(1).max(KEY_ID_MAX),
  alg: z.enum(['ES256', 'ES384', 'ES512']).optional(),
  use: z.literal('sig').optional(),
})
const Issuer = z
  .strictObject({
    iss: z.string().min(1).max(NAME_MAX),
    jwks: z.strictObject({ keys: z.array(Key).min(1).max(KEYS_MAX) }).optional(),
    jwks_uri: z.string().max(URL_MAX).optional(),
  })
  .refine(({ jwks, jwks_uri: uri }) => (jwks === undefined) !== (uri === undefined), 'needs either jwks or jwks_uri')
const Tier = z.enum(['registered', 'platform', 'self'])

export const Ap2Change = z.strictObject({
  accept: z
    .array(Tier)
    .max(Tier.options.length)
    .refine((tiers) => new Set(tiers).size === tiers.length, 'has to name each once')
    .optional(),
  require: z.boolean().optional(),
  issuers: z.array(Issuer).max(ISSUERS_MAX).optional(),
})

export const Ap2Shown = z.object({
  accept: z.array(Tier),
  require: z.boolean(),
  issuers: z.array(
    z.object({
      iss: z.string(),
      jwks: z.object({ keys: z.array(z.record(z.string(), z.string())) }).optional(),
      jwks_uri: z.string().optional(),
    }),
  ),
})

/**
 * The change in the words of the domain. Refuses keys that could verify nothing and addresses that may not be called.
 */
export const mandateRulesOf = async (
  flow: UseCaseContext,
  { accept, require, issuers }: z.output<typeof Ap2Change>,
): Promise<Partial<MandateRules>> => ({
  ...(accept && { accept }),
  ...(require !== undefined && { require }),
  ...(issuers && { issuers: await Promise.all(issuers.map((issuer) => checkedIssuer(flow, issuer))) }),
})

const checkedIssuer = async ({ outbound }: UseCaseContext, { iss, jwks, jwks_uri: uri }: z.output<typeof Issuer>) => {
  if (uri !== undefined) {
    const reason = outbound.refusal(uri)
    return reason === undefined
      ? { iss, jwksUri: uri }
      : refuse('invalid-request', `payment.ap2: jwks_uri: ${reason}; use an https URL of a public host`)
  }
  const keys = (jwks?.keys ?? []).map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid }))
  const usable = await Promise.all((jwks?.keys ?? []).map(isUsableKey))
  if (usable.includes(false))
    return refuse('invalid-request', `payment.ap2: each key of ${iss} has to be a public key for signatures`)
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length)
    return refuse('invalid-request', 'payment.ap2: a kid stands twice, and has to be named once')
  return { iss, keys }
}

/** The rules, shown only once they differ from the defaults: document 1 closes its list of settings. */
export const ap2Shown = (rules: MandateRules): { ap2?: z.input<typeof Ap2Shown> } => {
  if (JSON.stringify(rules) === JSON.stringify(DEFAULT_MANDATE_RULES)) return {}
  const issuers = rules.issuers.map((issuer) =>
    'keys' in issuer
      ? { iss: issuer.iss, jwks: { keys: issuer.keys.map((key) => ({ ...key })) } }
      : { iss: issuer.iss, jwks_uri: issuer.jwksUri },
  )
  return { ap2: { accept: [...rules.accept], require: rules.require, issuers } }
}
