/** A mail server as a letter finds it, asked without a letter. */
import { transportTo } from './smtp.ts'

export type MailServer = {
  /** `host:port`. */
  readonly host: string
  /** Whether the connection is encrypted once the greeting is over. */
  readonly encrypted: boolean
  /** `none`: the URL names no user. `not-offered`: it names one, and the server takes no sign-in. */
  readonly signIn: 'done' | 'none' | 'not-offered'
}

/** Milliseconds for the whole of it. */
const ASK_TIMEOUT_MS = 10_000

/**
 * Greets the server of a URL, turns encryption on as a letter would, signs in, and leaves. Rejects with the error of
 * nodemailer, whose `code` says what went wrong.
 */
export const askMailServer = async (url: string): Promise<MailServer> => {
  const transport = await transportTo(url)
  transport.close()
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection/index.js')
  const connection = new SmtpConnection(transport.options)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(Object.assign(new Error(`no answer within ${ASK_TIMEOUT_MS / 1_000} s`), { code: 'ETIMEDOUT' })),
    ASK_TIMEOUT_MS,
  )
  connection.on('error', late.reject)
  try {
    await Promise.race([late.promise, calledBack((done) => connection.connect(done))])
    const host = `${connection.host}:${connection.port}`
    const { auth } = transport.options
    const { allowsAuth } = connection as { allowsAuth?: boolean }
    const { user, pass } = (auth ?? {}) as { readonly user?: string; readonly pass?: string }
    if (user === undefined || !allowsAuth)
      return { host, encrypted: connection.secure, signIn: user === undefined ? 'none' : 'not-offered' }
    const credentials = { user, pass: pass ?? '' }
    await Promise.race([late.promise, calledBack((done) => connection.login({ credentials }, done))])
    return { host, encrypted: connection.secure, signIn: 'done' }
  } finally {
    clearTimeout(timer)
    late.promise.catch(() => {})
    connection.quit()
    connection.close()
  }
}

const calledBack = (call: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())))
