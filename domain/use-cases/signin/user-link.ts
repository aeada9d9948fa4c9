import { isRefusal, refuse } from '../../kernel/refusal.ts'
import { NO_SUCH_USER } from '../../signin/user.ts'
import type { LinkPurpose, MailedLink } from '../../signin/user-events.ts'
import type { UseCaseContext } from '../context.ts'
import { CODE_MINUTES, codeLetter, codeToken, newCode } from '../mailed-code.ts'
import { type FoundUser, userByEmail } from './check-password.ts'

/** Letters with a link, or a code, that works once. The log keeps the letter sealed, and the hash of its token. */

/** What a letter is about, and so what its link does. */
type LinkLetter =
  | 'verify-email'
  | 'reset-password'
  | 'known-address'
  | 'unconfirmed-address'
  | 'change-email'
  | 'confirm-change'

type Words = {
  readonly purpose: Exclude<LinkPurpose, 'enrol'>
  readonly hours: number
  /** The page of the link, which shows a button, because mail scanners follow links. */
  readonly path: string
  readonly subject: string
  readonly text: string
}

const LETTERS: Readonly<Record<LinkLetter, Words>> = {
  'verify-email': {
    purpose: 'verify-email',
    hours: 24,
    path: '/sign-up/verify',
    subject: 'Confirm your email address',
    text: 'Welcome to Daybook. Open this link to confirm that this is your address:',
  },
  'reset-password': {
    purpose: 'reset-password',
    hours: 0.5,
    path: '/sign-in/reset',
    subject: 'Choose a new password',
    text: 'Open this link to choose a new password:',
  },
  'known-address': {
    purpose: 'reset-password',
    hours: 0.5,
    path: '/sign-in/reset',
    subject: 'You have an account already',
    text: 'Somebody wanted to create a Daybook account with this address, which has one already. If that was you, sign in as before, or open this link to choose a new password:',
  },
  'unconfirmed-address': {
    purpose: 'reset-password',
    hours: 0.5,
    path: '/sign-in/reset',
    subject: 'Confirm your email address',
    text: 'A Daybook account with this address was created before, by you or by somebody else, and never confirmed. Open this link to choose a password of your own; that confirms the address, and no other password works then:',
  },
  'change-email': {
    purpose: 'change-email',
    hours: 24,
    path: '/account/email/confirm',
    subject: 'Confirm your new email address',
    text: 'Somebody wants this address to be the one they sign in to Daybook with. If that is you, open this link:',
  },
  'confirm-change': {
    purpose: 'confirm-change',
    hours: 24,
    path: '/account/email/confirm',
    subject: 'Your email address is to change',
    text: 'Somebody who is signed in as you wants to sign in with another address. If that is you, open this link:',
  },
}

type Recipient = { readonly sub: string; readonly to: string }

/** A letter with a link. */
export const userLink = async (
  flow: Pick<UseCaseContext, 'world' | 'vault' | 'origins'>,
  { sub, to, letter }: Recipient & { letter: LinkLetter },
): Promise<MailedLink> => {
  const { purpose, hours, path, subject, text } = LETTERS[letter]
  const token = `${sub}.${flow.world.secret(32)}`
  const link = `${flow.origins.auth}${path}?token=${token}`
  const validity = hours < 1 ? `${hours * 60} minutes` : `${hours} hours`
  const words = [text, '', link, '', `It works once, within ${validity}. If this was not you, ignore this letter.`]
  return await mailed(flow, { sub, purpose, token, hours, letter: { to, subject, text: words.join('\n') } })
}

/** A letter with a code that is typed into the page which asks for it. */
const userCode = async (
  flow: Pick<UseCaseContext, 'world' | 'vault' | 'origins'>,
  { sub, to }: Recipient,
): Promise<MailedLink> => {
  const code = newCode(flow.world)
  const [token, hours] = [codeToken(sub, code), CODE_MINUTES / 60]
  return await mailed(flow, { sub, purpose: 'enrol', token, hours, letter: codeLetter(to, code) })
}

type LinkMail = {
  readonly sub: string
  readonly purpose: LinkPurpose
  readonly token: string
  readonly hours: number
  readonly letter: object
}

const mailed = async (
  { world, vault }: Pick<UseCaseContext, 'world' | 'vault'>,
  { sub, purpose, token, hours, letter }: LinkMail,
): Promise<MailedLink> => ({
  purpose,
  tokenHash: world.digest(token),
  expiresAt: new Date(world.now().getTime() + hours * 3_600_000).toISOString(),
  letter: await vault.seal(sub, JSON.stringify(letter)),
})

/**
 * Sends a user a letter with a link that works once; earlier links of the same purpose end. A user who asked for too
 * many already has some, and gets no more in this hour.
 */
export const sendUserLink = async (
  flow: UseCaseContext,
  { sub, user }: FoundUser,
  letter: Exclude<LinkLetter, 'change-email' | 'confirm-change'>,
): Promise<void> => {
  const to = await flow.vault.open(user.email)
  if (to === undefined) return
  const link = await userLink(flow, { sub, to, letter })
  await flow.ledger.user.requestLink(sub, link).catch(unlessTooMany)
}

/** Sends a link for a new password to whoever has this address; nobody is told whether somebody does. */
export const forgotPassword = async (flow: UseCaseContext, email: string): Promise<void> => {
  const found = await userByEmail(flow, email)
  if (found) await sendUserLink(flow, found, 'reset-password')
}

/** Sends the code that a user types before their first second factor. Refuses `rate-limited`. */
export const sendUserCode = async (flow: UseCaseContext, sub: string): Promise<void> => {
  const user = await flow.ledger.user.read(sub)
  const sealed = user.status === 'none' ? undefined : user.email
  const to = (sealed && (await flow.vault.open(sealed))) ?? refuse('not-found', NO_SUCH_USER)
  await flow.ledger.user.requestLink(sub, await userCode(flow, { sub, to }))
}

const unlessTooMany = (error: unknown): void => {
  if (!isRefusal(error, 'rate-limited')) throw error
}

/** Uses up the mailed code, however it is typed. Refuses `mfa-code-wrong`. */
export const useUserCode = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  sub: string,
  code: string,
): Promise<void> => {
  await ledger.user.useMailedCode(sub, { tokenHash: world.digest(codeToken(sub, code)) })
}
