import { randomBytes } from 'node:crypto'
import { readConnectionString } from '../../../adapters/store/client/connection-string.ts'
import { openServerRights, type ServerRights, type StreamRights } from '../../../adapters/store/server/rights.ts'
import { openServerUsers, type ServerUsers } from '../../../adapters/store/server/users.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { openServer } from '../../event-store/reach.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

type Wish = {
  /** Connection string of an admin of the server. */
  readonly admin: string
  /** The user that Daybook connects as. */
  readonly user: string
  /** Give the user a new password even if it is there already. */
  readonly newPassword?: boolean
}

/** Bytes of chance in a password that is made here; written in base64url, so that it stands in a URL as it is. */
const PASSWORD_BYTES = 24

/**
 * Makes a server ready for Daybook: its user, the right to read the whole log, and the default rights of streams. What
 * is there already stays, so it may be run again. A password is made here, shown once and kept nowhere. Rejects with
 * BadSetting on a URL that cannot be used, with CommandFailure when the named user cannot be used.
 */
export const prepareEventStore = async (out: Output, { admin, user, newPassword = false }: Wish): Promise<void> => {
  const { insecure } = readable(admin)
  if (insecure)
    throw new BadSetting('--admin: a server without TLS knows no users, so there is nothing to prepare: turn TLS on')
  await (await openServer(admin, () => {}, { setting: '--admin', seconds: 0 })).close()
  const users = openServerUsers(admin)
  const rights = openServerRights(admin)
  try {
    const { step, password } = await userWithPassword(users, user, newPassword)
    const url = urlOf(admin, user, password)
    const steps = await giveRights(rights, user, password === undefined ? undefined : url).catch((error: unknown) => {
      if (password === undefined) throw error
      throw new CommandFailure(
        `the user ${user} was given a password, and then: ${(error as Error).message}. Run it again with --new-password`,
      )
    })
    const facts = { step, ...steps, eventStoreUrl: url, hasPassword: password !== undefined }
    await out.tell(facts, textOf(user, facts))
  } finally {
    await Promise.all([users.close(), rights.close()])
  }
}

/** Gives the user its rights. With the URL of the new user, they are tried out as well. */
const giveRights = async (rights: ServerRights, user: string, url: string | undefined) => {
  const readsLog = await rights.letReadAll(user)
  const defaultRights = await rights.setDefaults(user)
  if (url !== undefined) await mustHoldFor(url)
  return { readsLog, defaultRights }
}

const readable = (admin: string) => {
  try {
    return readConnectionString(admin)
  } catch (error) {
    throw new BadSetting(`--admin: ${(error as Error).message}`)
  }
}

type PreparedUser = { readonly step: 'made' | 'kept' | 'new-password'; readonly password?: string }

const userWithPassword = async (users: ServerUsers, login: string, renew: boolean): Promise<PreparedUser> => {
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  const known = await users.find(login)
  if (!known) {
    await users.create(login, password)
    return { step: 'made', password }
  }
  if (known.disabled)
    throw new CommandFailure(
      `the user ${login} is disabled on the server: enable it there, or name another one with --user`,
    )
  if (known.groups.includes('$admins'))
    throw new CommandFailure(
      `the user ${login} is an admin of the server, and could hide events: name another one with --user`,
    )
  if (!renew) return { step: 'kept' }
  await users.setPassword(login, password)
  return { step: 'new-password', password }
}

/** The URL of the same server with the same options, for another user. */
const urlOf = (admin: string, user: string, password = PASSWORD_HIDDEN): string =>
  admin.trim().replace(/\/\/[^@]*@/, () => `//${encodeURIComponent(user)}:${password}@`)

const PASSWORD_HIDDEN = '<its password>'

/** Checks as the new user that it may do what it was given the right to, and no more. */
const mustHoldFor = async (url: string): Promise<void> => {
  await (await openServer(url, () => {}, { setting: 'the new user', seconds: 0 })).close()
  const rights = openServerRights(url)
  try {
    const wrong = wrongIn(await rights.ofStreams())
    if (wrong !== undefined)
      throw new CommandFailure(`the server took the rights and does not keep to them: the new user ${wrong}`)
  } finally {
    await rights.close()
  }
}

const wrongIn = ({ appends, setsMetadata, deletes }: StreamRights): string | undefined => {
  if (!appends) return 'may not append'
  return setsMetadata || deletes ? 'may hide events' : undefined
}

type Facts = Pick<PreparedUser, 'step'> & {
  readonly readsLog: boolean
  readonly defaultRights: boolean
  readonly eventStoreUrl: string
  readonly hasPassword: boolean
}

const textOf = (user: string, { step, readsLog, defaultRights, eventStoreUrl, hasPassword }: Facts): string =>
  [
    `The user ${user} ${DONE[step]}.`,
    readsLog ? 'It was given the right to read the whole log.' : 'It had the right to read the whole log.',
    defaultRights
      ? 'From now on it alone appends, and only admins delete streams or set their metadata.'
      : 'It alone appends, and only admins delete streams or set their metadata: that was so.',
    '',
    hasPassword
      ? 'The password is shown once and kept nowhere. Set:'
      : 'Its password is known to whoever was shown it (--new-password makes another). Set:',
    `  EVENTSTORE_URL=${eventStoreUrl}`,
    'Then look whether all is well: daybook eventstore check',
  ].join('\n')

const DONE = { made: 'was made', kept: 'was there', 'new-password': 'has a new password' } as const
