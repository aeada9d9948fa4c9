/** Letters to people, handed to a mail server. Plain text, one recipient each, nothing from outside in a header. */
import type { Letter, Mail } from '../../domain/kernel/mail.ts'
import { refuse } from '../../domain/kernel/refusal.ts'

/** Milliseconds for resolving the server's name and opening the connection. */
const CONNECTION_TIMEOUT_MS = 5_000
/** Milliseconds from the open connection to the server's greeting. */
const GREETING_TIMEOUT_MS = 5_000
/** Milliseconds of silence on an open connection. */
const SOCKET_TIMEOUT_MS = 10_000
/** Milliseconds for the whole of one letter, so that a server which answers drop by drop ends too. */
const LETTER_TIMEOUT_MS = 30_000
/** Letters on their way at once; each holds a connection. One more is refused as `busy`. */
const LETTERS_AT_ONCE_MAX = 20

/**
 * Sends through the server that `url` names: `smtp://user:password@host:587` (STARTTLS when offered, demanded by
 * `?requireTLS=true`) or `smtps://…`. `send` resolves once the server has taken the letter and rejects when it did not,
 * or did not in time; with Refusal `busy` when too many are on their way. `close` waits for those.
 */
export const smtpMail = (url: string, from: string): Mail & { close(): Promise<void> } => {
  let transport: ReturnType<typeof transportTo> | undefined
  const underway = new Set<Promise<unknown>>()

  const send = async (letter: Letter): Promise<void> => {
    if (underway.size >= LETTERS_AT_ONCE_MAX) refuse('busy', 'too many letters are being sent')
    const to = soleAddress(letter.to)
    transport ??= transportTo(url)
    const sent = transport.then((opened) =>
      opened.sendMail({
        from,
        to: { name: '', address: to },
        subject: oneLine(letter.subject),
        text: letter.text,
        signal: AbortSignal.timeout(LETTER_TIMEOUT_MS),
      }),
    )
    underway.add(sent)
    await sent.finally(() => underway.delete(sent))
  }

  const close = async (): Promise<void> => {
    await Promise.allSettled(underway)
    ;(await transport)?.close()
  }

  return { send, close }
}

/** The transport of nodemailer, which is loaded here: a service that sends no letter has no need of its memory. */
export const transportTo = async (url: string) => {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    dnsTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // A letter is text; no part of it may name a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** The recipient: one address and nothing that a mail header or an SMTP command could read as more. */
const soleAddress = (to: string): string => {
  if (!ADDRESS.test(to)) throw new Error('the recipient is not a single e-mail address')
  return to
}

const ADDRESS = /^[^\s\p{Cc}\p{Cf}@,;:<>()[\]\\"]+@[^\s\p{Cc}\p{Cf}@,;:<>()[\]\\"]+$/u

const oneLine = (subject: string): string => subject.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
