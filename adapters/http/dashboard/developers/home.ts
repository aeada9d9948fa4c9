import { z } from 'zod'
import { NO_SUCH_ACCOUNT } from '../../../../domain/account/account.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { goodOwnerKeys, ownerKeyRotated } from '../../agent/account/owner-keys.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { developersPage } from '../../pages/dashboard/developers/home.ts'
import { DEVELOPERS } from '../../pages/dashboard/developers/paths.ts'
import { faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'

/** The first page of developers, and another owner key. */

const look = endpoint({
  ...ofMembers,
  path: DEVELOPERS,
  method: 'get',
  callers: { capability: 'settings.view' },
  summary: 'The owner keys, and the ways to keys, webhooks, requests and the reference of the API',
  answer: (request) => show(request),
})

const rotate = endpoint({
  ...ofMembers,
  path: DEVELOPERS,
  method: 'post',
  when: { act: 'rotate' },
  callers: { capability: 'settings.edit', ownerOnly: true, fresh: true },
  summary: 'Replaces the owner key; the new one is shown once, and everybody has to sign in again',
  body: z.object({ csrf, password: z.string().max(1_000).default(''), old_key: z.enum(['hour', 'none']) }),
  async answer({ body: { password, old_key }, ip, ...request }) {
    const { flow, actor } = request
    const { accountId } = actor
    const account = await flow.ledger.account.read(accountId)
    if (account.status === 'none') return refuse('not-found', NO_SUCH_ACCOUNT)
    try {
      const call = { accountId, usedKeyId: account.keyId, ip, password, old_key }
      return await show(request, { fresh: await ownerKeyRotated(request, call) })
    } catch (error) {
      return await show(request, { faults: faultsOf(error, ['password'], 'password') })
    }
  },
})

export const developerHome = [look, rotate]

type Outcome = Pick<Parameters<typeof developersPage>[0], 'fresh' | 'faults'>

const show = async (request: MemberRequest, outcome: Outcome = {}): Promise<Reply> => {
  const { actor } = request
  const keys = actor.actor.isOwner ? await goodOwnerKeys(request, actor.actor) : []
  return developersPage({ ...outcome, member: actor, keys })
}
