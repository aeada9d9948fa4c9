import type { LoggedCaller } from '../../postgres/requests/request-rows.ts'
import type { Actor, MemberCaller, SignInCaller } from '../core/caller.ts'

/** How callers are called: by the log, as the actor of what they cause, and by the request log. */

/** The actor that the log names: the account, and which of its keys, where that is not the owner's. */
export const keyName = (key: Actor | undefined): string | undefined =>
  key && (key.kind === 'sub-key' || key.kind === 'store' ? `${key.accountId}/${key.kind}/${key.keyId}` : key.accountId)

/** Of a member, the request log has what they changed; what they only looked at would crowd out the calls of keys. */
export const loggedMember = ({ accountId, memberId }: MemberCaller): LoggedCaller => ({
  accountId,
  kind: 'member',
  id: memberId,
  hint: null,
})

export const nameOf = (caller: SignInCaller | undefined): string | undefined => {
  if (caller?.kind === 'member') return `${caller.accountId}/member/${caller.memberId}`
  if (caller === undefined || caller.kind === 'guest') return undefined
  return caller.kind === 'app' ? caller.clientId : caller.sub
}
