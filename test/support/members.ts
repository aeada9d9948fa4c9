import { ownerMemberId } from '../../domain/account/members/member.ts'
import type { MemberGrants } from '../../domain/account/team-members.ts'
import { inviteMember } from '../../domain/use-cases/account/team/invitations.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { eventually } from '../../src/demo/stage.ts'
import type { TestApp } from './app.ts'
import { PASSWORD } from './dashboard.ts'
import { lettersTo, person } from './people.ts'
import { activeSeller, freshEmail } from './seller.ts'

/** Members of a seller's team, who came by letter. */

export const INVITATION = 'You are invited to a team at Daybook'

type Inviting = { readonly app: TestApp; readonly flow: UseCaseContext }

/** Invites somebody in the name of the owner. @returns the path of the link that was mailed */
export const invitationTo = async (
  { app, flow }: Inviting,
  accountId: string,
  email: string,
  grants: Partial<MemberGrants> = {},
): Promise<string> => {
  const wish = { role: 'clerk', permissions: [], storeScope: [], ...grants } as const
  const paths = async () => {
    const links = (await lettersTo(app, email)).flatMap((letter) => letter.links)
    return links
      .map((each) => new URL(each).pathname)
      .filter((path) => path.startsWith(`/dashboard/join/${accountId}.`))
  }
  const before = await paths()
  await inviteMember(flow, accountId, { ...wish, email, by: ownerMemberId(accountId), agreed: 0n })
  let path: string | undefined
  await eventually('the invitation', async () => {
    path = (await paths()).find((each) => !before.includes(each))
    return path !== undefined
  })
  return path ?? ''
}

/** A person who has joined the team of an active seller on its free seat, and is signed in. */
export const teamMember = async (inviting: Inviting, grants: Partial<MemberGrants> = {}) => {
  const { app, flow } = inviting
  const owner = await activeSeller(app)
  const accountId = await accountOf(flow, owner.email)
  const email = freshEmail()
  const who = person(app)
  const link = await invitationTo(inviting, accountId, email, grants)
  const joined = await who.send(link, { act: 'password', new_password: PASSWORD })
  if (joined.location !== '/dashboard') throw new Error(`joining answered ${joined.status}: ${joined.text}`)
  return { who, email, accountId, owner }
}

/** The account of a seller by the address of its owner. */
export const accountOf = async (
  { ledger, vault }: Pick<UseCaseContext, 'ledger' | 'vault'>,
  email: string,
): Promise<string> => (await ledger.email.read(vault.fingerprint('email', email))).holder ?? ''
