/** A mail server for development and tests: it takes every letter, delivers none, and shows what it took. */
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type InboxMessage = {
  /** The recipients of the envelope, separated by commas. */
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The http and https addresses in the text, in their order and exactly as written. */
  readonly links: readonly string[]
  /** Time at which it arrived, in ISO 8601 UTC. */
  readonly at: string
}

/** Where letters outlive a restart, so that a newcomer still finds the link of one. */
export type KeptLetters = {
  /** The letters of the last run, the newest first; none where there are none, or they are not ours. */
  read(): readonly InboxMessage[]
  /** Keeps the newest of these. A disk that is full keeps nobody from getting a letter. */
  write(messages: readonly InboxMessage[]): void
}

export type DevInbox = {
  /** `smtp://127.0.0.1:<port>`. */
  readonly url: string
  /** The messages, the newest first, at most 200. */
  messages(): readonly InboxMessage[]
  stop(): Promise<void>
}

const MESSAGES_KEPT_MAX = 200
const MESSAGE_BYTES_MAX = 1024 * 1024
const LINKS_MAX = 100
const CLIENTS_MAX = 50
const SOCKET_TIMEOUT_MS = 10_000
/** Milliseconds that `stop` waits for open connections before it cuts them. */
const CLOSE_TIMEOUT_MS = 1_000

/**
 * Listens on a free port of the loopback interface, without sign-in and without TLS. With `letters`, it begins with
 * those of the last run.
 */
export const startDevInbox = async (letters?: KeptLetters): Promise<DevInbox> => {
  let kept: readonly InboxMessage[] = letters?.read() ?? []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: MESSAGE_BYTES_MAX,
    maxClients: CLIENTS_MAX,
    socketTimeout: SOCKET_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    logger: false,
    onData(stream, session, done) {
      const to = session.envelope.rcptTo.map((recipient) => recipient.address).join(', ')
      receive(stream, to).then(
        (message) => {
          kept = [message, ...kept].slice(0, MESSAGES_KEPT_MAX)
          letters?.write(kept)
          done()
        },
        (error) => done(error),
      )
    },
  })
  // A client may hang up in the middle; without a listener, that would end the process.
  server.on('error', () => {})
  const { port } = await listening(server)
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages: () => kept,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const listening = (server: SMTPServer): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    const listener = server.listen(0, '127.0.0.1', () => resolve(listener.address() as AddressInfo))
  })

/** Reads the stream to its end in any case, which the server waits for, but holds no more than the limit. */
const receive = async (stream: AsyncIterable<Buffer>, to: string): Promise<InboxMessage> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes <= MESSAGE_BYTES_MAX) chunks.push(chunk)
  }
  if (bytes > MESSAGE_BYTES_MAX) throw Object.assign(new Error('The message is too large'), { responseCode: 552 })
  const { simpleParser } = await import('mailparser')
  const mail = await simpleParser(Buffer.concat(chunks))
  const text = (mail.text ?? '').trimEnd()
  return { to, subject: mail.subject ?? '', text, links: linksOf(text), at: new Date().toISOString() }
}

const linksOf = (text: string): readonly string[] =>
  (text.match(/https?:\/\/[^\s<>"]+/gi) ?? [])
    .map(withoutTrailingPunctuation)
    .filter((link) => URL.canParse(link))
    .slice(0, LINKS_MAX)

const withoutTrailingPunctuation = (link: string): string => {
  let end = link.length
  while (`.,;:!?'")]}`.includes(link.charAt(end - 1))) end -= 1
  return link.slice(0, end)
}
