import { compactVerify, importJWK } from 'jose'
import { SIGNING_KEYS } from '../../../../domain/signin/signing-keys.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'

/** The user, the app and the session that an ID token of ours was made for. */
export type Hint = { readonly sub: string; readonly clientId: string; readonly sid: string | undefined }

const TOKEN_MAX = 4_096

/**
 * Reads an ID token that an app sends back: made here, and signed with RS256 by a key of ours, old ones too. It may
 * have expired, because it only says who is meant (OpenID Connect Core §3.1.2.1). Undefined for anything else.
 */
export const hintedBy = async (
  { ledger, origins }: Pick<UseCaseContext, 'ledger' | 'origins'>,
  token: string,
): Promise<Hint | undefined> => {
  if (token.length > TOKEN_MAX) return undefined
  const { keys } = await ledger.signingKeys.recent(SIGNING_KEYS)
  const keyOf = async ({ kid }: { kid?: string }) => {
    const key = keys.find((each) => each.kid === kid)
    if (!key) throw new Error('a key that is not ours')
    return await importJWK(key.publicJwk, 'RS256')
  }
  try {
    const { payload, protectedHeader } = await compactVerify(token, keyOf, { algorithms: ['RS256'] })
    const { iss, sub, aud, sid } = JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>
    const ours = iss === origins.auth && protectedHeader.typ === 'JWT'
    if (!ours || typeof sub !== 'string' || typeof aud !== 'string') return undefined
    return { sub, clientId: aud, sid: typeof sid === 'string' ? sid : undefined }
  } catch {
    return undefined
  }
}
