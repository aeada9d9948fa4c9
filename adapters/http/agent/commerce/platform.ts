import { z } from 'zod'
import { Refusal } from '../../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../../domain/kernel/refusals/refusal-words.ts'
import { refuseNewer, type UcpAgent, ucpAgentOf } from '../../../ap2/ucp-agent.ts'
import { Reply } from '../../core/endpoint.ts'
import { wire } from '../common/errors.ts'
import { type Severity, UCP_VERSION, ucpEnvelope, ucpError } from './ucp.ts'

/**
 * The caller decides the form of the answer: a platform that speaks UCP says so in a header, and is answered as that
 * protocol has it; everybody else is answered as the documents of this service have it.
 */

export const PlatformHeaders = z.object({ 'ucp-agent': z.string().max(2_048).optional() })

export type PlatformSent = { readonly 'ucp-agent'?: string | undefined }

/** Whether the protocol's own life cycle and status codes are wanted. */
export const speaksUcp = (headers: PlatformSent): boolean => headers['ucp-agent'] !== undefined

/** How every endpoint of the protocol words a refusal: in our words and in the protocol's. */
export const failure = (code: string, message: string, facts?: Readonly<Record<string, string>>): object => ({
  ...ucpError(code, message, severityOf(code)),
  // Whoever sent an agreement is told why there is no order of it, in words that are signed.
  ...(facts?.checkout_receipt !== undefined && { ap2: { checkout_receipt: facts.checkout_receipt } }),
})

/** Tells a platform with a 200 that something is not there (UCP); others get their 404. */
export const withoutNotFound = async <T>(headers: PlatformSent, answer: () => Promise<T>): Promise<T | Reply> => {
  mustBeSpoken(headers)
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof Refusal) || !speaksUcp(headers) || wire[error.code][0] !== 404) throw error
    const [, code] = wire[error.code]
    return new Reply(200, ucpEnvelope(code, sentenceOf(error), 'unrecoverable'))
  }
}

const severityOf = (code: string): Severity => (RECOVERABLE.has(code) ? 'recoverable' : 'unrecoverable')

/** Codes of refusals after which asking again, or in another way, may help. */
const RECOVERABLE = new Set([
  'svc_invalid_request',
  'svc_rate_limited',
  'svc_unavailable',
  'svc_busy',
  'out_of_stock',
  'request_too_large',
])

/** Refuses a version of the protocol that is newer than ours. */
const mustBeSpoken = (headers: PlatformSent): void => refuseNewer(named(headers).version, UCP_VERSION)

/** The origin that a platform names as its own; null for whoever names none. */
export const platformOf = (headers: PlatformSent): string | null => {
  const { profile = '' } = named(headers)
  return URL.canParse(profile) && new URL(profile).protocol === 'https:' ? new URL(profile).origin : null
}

const named = ({ 'ucp-agent': header }: PlatformSent): Partial<UcpAgent> =>
  (header === undefined ? undefined : ucpAgentOf(header)) ?? {}
