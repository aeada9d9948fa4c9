import type { Sealed, World } from '../ports.ts'
import { Refusal } from '../refusal.ts'
import type { Flow } from './flow.ts'

/** How long the mailed link works (N-15). */
const LINK_HOURS = 24
/** A claim on an address whose sign-up broke off may be taken over after this long; no request lives so long. */
const CLAIM_ABANDONED_MS = 60_000

export type SignUp = {
  email: string
  password: string
  primaryWallet: string | null
  termsAgreed: 'explicit' | 'by-omission'
}

/**
 * Makes an account: claims the address, then writes the account with its key, its cloud token and the letter to send, in one append.
 * @returns the owner key, which is never shown again. Refuses `email-taken` (N-16), `busy`.
 */
export const signUp = async (flow: Flow, { email, password, ...rest }: SignUp): Promise<{ apiKey: string }> => {
  const { ledger, world, vault, passwords } = flow
  const passwordHash = await passwords.hash(password)
  const accountId = world.id('acc')
  const emailFingerprint = vault.fingerprint('email', canonicalEmail(email))
  await claim(flow, emailFingerprint, accountId)
  const key = newApiKey(world)
  const cloudToken = world.id('ct')
  await ledger.account.signUp(accountId, {
    email: await vault.seal(accountId, email),
    emailFingerprint,
    passwordHash,
    ...rest,
    key: key.event,
    cloudToken: { token: await vault.seal(accountId, cloudToken), tokenHash: world.digest(cloudToken) },
    verification: await verification(flow, accountId, email),
  })
  return { apiKey: key.apiKey }
}

/** Follows the link of the letter: activates the account, once. Refuses `verification-link-invalid`. */
export const verifyEmail = async ({ ledger, world }: Flow, token: string): Promise<void> => {
  const accountId = /^(acc_[a-z2-7]{26})\.[0-9a-f]{64}$/.exec(token)?.[1]
  if (accountId === undefined) throw new Refusal('verification-link-invalid')
  const account = await ledger.account.read(accountId)
  const holder = account.status === 'none' ? undefined : (await ledger.email.read(account.emailFingerprint)).holder
  // Whoever lost the address to another sign-up does not activate with it.
  if (holder !== accountId) throw new Refusal('verification-link-invalid')
  await ledger.account.verifyEmail(accountId, { tokenHash: world.digest(token) })
}

/** Addresses that reach the same mailbox by every common rule count as one: case is not told apart. */
const canonicalEmail = (email: string): string => email.normalize('NFKC').toLowerCase()

const claim = async ({ ledger, world }: Flow, fingerprint: string, accountId: string) => {
  const { holder, claimedAt } = await ledger.email.read(fingerprint)
  const abandoned = holder !== undefined && world.now().getTime() - Date.parse(claimedAt) > CLAIM_ABANDONED_MS
  if (abandoned && (await ledger.account.read(holder)).status === 'none')
    await ledger.email.reclaim(fingerprint, { from: holder, accountId })
  else await ledger.email.claim(fingerprint, { accountId })
}

/** `sk_live_<lookup id>_<secret>`: the lookup id tells an unknown key from a wrong one. */
const newApiKey = (world: World) => {
  const keyId = world.secret(8)
  const apiKey = `sk_live_${keyId}_${world.secret(32)}`
  const event = { keyId, keyHash: world.digest(apiKey), hint: `sk_live_…${apiKey.slice(-4)}`, kind: 'owner' } as const
  return { apiKey, event }
}

const verification = async ({ world, vault, origins }: Flow, accountId: string, to: string) => {
  const token = `${accountId}.${world.secret(32)}`
  const text = [
    'Welcome to Daybook.',
    '',
    'Follow this link to confirm your email address. It activates your account and adds $5 of free credit:',
    '',
    `${origins.base}/verify-email?token=${token}`,
    '',
    `The link works once, within ${LINK_HOURS} hours. If you did not sign up, ignore this letter.`,
  ].join('\n')
  const letter: Sealed = await vault.seal(
    accountId,
    JSON.stringify({ to, subject: 'Confirm your email address', text }),
  )
  const expiresAt = new Date(world.now().getTime() + LINK_HOURS * 3_600_000).toISOString()
  return { tokenHash: world.digest(token), expiresAt, letter }
}
